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

test.each(["Bearer abc", "x"])("%j can be a value", (value) => expect(headerValueProblem(value)).toBeNull());

test.each(["", " x", "x ", "a\r\nb: c", "ü", "x".repeat(1_001)])("%j cannot be a value", (value) =>
  expect(headerValueProblem(value)).not.toBeNull(),
);
