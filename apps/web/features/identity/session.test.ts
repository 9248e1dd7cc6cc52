import { expect, test } from "bun:test";
import { listed } from "../../../../tests/support/listed.ts";
import { localPath } from "./session.ts";

Object.assign(globalThis, { location: { origin: "https://license.example.com" } });

test.each([
  ["/o/nordlicht/licenses?q=ada#top", "/o/nordlicht/licenses?q=ada#top"],
  ["/invitations/abc", "/invitations/abc"],
  ["/a//b", "/a//b"],
  ["/o/../admin", "/admin"],
])("%p is a page of this site", (next, page) => expect(localPath(next)).toBe(page));

test.each([
  ...[undefined, "", "o/nordlicht", "/\t/evil.example", "/\n/evil.example", "javascript:alert(1)"],
  ...listed("//evil.example /\\evil.example \\/evil.example https://evil.example /x\\..\\evil.example"),
])("%p is no page of this site, and leads to the first page", (next) => expect(localPath(next)).toBe("/"));
