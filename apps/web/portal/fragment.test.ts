import { expect, test } from "bun:test";
import { fragmentText } from "./fragment.ts";

test.each([
  ["", null],
  ["#", null],
  ["#POLAR-1234", "POLAR-1234"],
  ["#a%2Fb%20c", "a/b c"],
  ["#100%", "100%"],
])("%j holds %j", (hash, text) => expect(fragmentText(hash)).toBe(text));
