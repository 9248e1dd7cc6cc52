import { expect, test } from "bun:test";
import { digitsOf } from "./sign-in-code.ts";

test.each([
  ["123456", "123456"],
  ["123 456", "123456"],
  [" 123-456\n", "123456"],
  ["Your code is 123456.", "123456"],
  ["１２３４５６", "123456"],
  ["1234567", "123456"],
  ["12a", "12"],
  ["", ""],
])("%j is read as the digits %j", (typed, digits) => expect(digitsOf(typed)).toBe(digits));
