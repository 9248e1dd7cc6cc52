import { expect, test } from "bun:test";
import { contactHref } from "./contact.ts";

test.each([
  [null, null],
  ["billing@example.com", "mailto:billing@example.com"],
  ["https://example.com/plans", "https://example.com/plans"],
  ["http://intranet/plans", "http://intranet/plans"],
  ["javascript:alert(1)", null],
  ["javascript:alert(1)//a@b", null],
  ["ask Kim", null],
])("%p becomes %p", (contact, href) => expect(contactHref(contact)).toBe(href));
