import { expect, test } from "bun:test";
import { relationTo } from "./server-url.ts";

test.each([
  ["http://127.0.0.1:3000", "http://127.0.0.1:3000/setup", "here"],
  ["http://127.0.0.1:3000", "http://localhost:3000/setup?token=x", "loopback"],
  ["http://localhost:3000", "http://127.0.0.1:3000/", "loopback"],
  ["http://127.0.0.1:3000", "http://[::1]:3000/", "loopback"],
  // Through a tunnel, the port of the server is another program's here.
  ["http://127.0.0.1:3000", "http://localhost:8080/", "elsewhere"],
  ["http://127.0.0.1:3000", "https://localhost:3000/", "elsewhere"],
  ["http://192.0.2.7:3000", "http://localhost:3000/", "elsewhere"],
  ["http://127.0.0.1:3000", "http://license.example.com:3000/", "elsewhere"],
  ["https://example.com/license", "https://example.com/sign-in", "here"],
])("a server at %s is opened at %s: %s", (url, opened, relation) =>
  expect<string>(relationTo(url, new URL(opened))).toBe(relation),
);
