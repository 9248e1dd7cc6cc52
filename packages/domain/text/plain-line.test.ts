import { expect, test } from "bun:test";
import { plainLine } from "./plain-line.ts";

test.each(["", "Ada Lovelace", "Zoë 🦊", "العربية\u200f (Acme)", "שלום", "a\u00a0b"])(
  "%p is a plain line",
  (text) => {
    expect(plainLine.test(text)).toBe(true);
  },
);

test.each([
  ["a line feed", "\n"],
  ["a carriage return", "\r"],
  ["a tab", "\t"],
  ["an escape", "\u001b"],
  ["a C1 control character", "\u0085"],
  ["a line separator", "\u2028"],
  ["a paragraph separator", "\u2029"],
  ["an embedding", "\u202a"],
  ["a right-to-left override", "\u202e"],
  ["an isolate", "\u2066"],
  ["the end of an isolate", "\u2069"],
])("%s is not part of a plain line", (_, character) => {
  expect(plainLine.test(`Acme${character}gnp.exe`)).toBe(false);
});
