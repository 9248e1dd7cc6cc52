import { expect, test } from "bun:test";
import { waitingText } from "./waiting-text.ts";

test("more than 99 waiting transfers are not counted", () => {
  expect([1, 99, 100].map(waitingText)).toEqual(["1", "99", "99+"]);
});
