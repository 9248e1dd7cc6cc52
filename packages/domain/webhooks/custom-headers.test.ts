import { expect, test } from "bun:test";
import { listed } from "../../../tests/support/listed.ts";
import { headerNameProblem, headerValueProblem } from "./custom-headers.ts";

test.each(["Authorization", "X-Api-Key", "x_y", "cf-access-client-id"])("%s can be a header", (name) => {
  expect(headerNameProblem(name)).toBeNull();
});

test.each([
  ...["", "a b", "a\r\nb", "x".repeat(65)],
  ...listed("1x a:b ä __proto__ Host content-length Transfer-Encoding Webhook-Signature webhook-anything"),
  ...listed("Proxy-Authorization User-Agent"),
])("%j cannot be a header", (name) => expect(headerNameProblem(name)).toBeString());

test.each([
  ["Bearer abc", true],
  ["x", true],
  ["", false],
  [" x", false],
  ["x ", false],
  ["a\r\nb: c", false],
  ["ü", false],
  ["x".repeat(1_001), false],
])("%j can be a value: %p", (value, can) => expect(headerValueProblem(value) === null).toBe(can));
