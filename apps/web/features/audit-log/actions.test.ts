import { expect, test } from "bun:test";
import { plainWords } from "./actions.ts";

test.each([
  ["license.bulk_moved", "license bulk moved"],
  ["seat_limit", "seat limit"],
  ["2.1.0", "2.1.0"],
  ["2.1.x", "2.1.x"],
])("the code %s is shown as %s", (code, words) => expect(plainWords(code)).toBe(words));
