import { expect, test } from "bun:test";
import { changeText } from "./figure-text.ts";

test.each([
  [120, 100, "+20%"],
  [99, 100, "-1%"],
  [1_005, 1_000, "+0.5%"],
  [100, 100, "0%"],
  [0, 100, "-100%"],
  [100, 0, null],
])("%d after %d is a change of %s", (now, before, text) => expect(changeText(now, before, "en")).toBe(text));
