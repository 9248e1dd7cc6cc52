import { expect, test } from "bun:test";
import { isLastPassing, rejectsPassing } from "./rejects-passing.ts";

const exact = { version: "2.1.3", state: "allowed" } as const;
const line = { version: "2.1.x", state: "allowed" } as const;
const blockedLine = { version: "2.1.x", state: "blocked" } as const;
const blocked = { version: "1.0.0", state: "blocked" } as const;

test.each([
  ["removing a version that nothing else allows", [exact, blocked], exact, true, true],
  ["removing a version that a line also allows", [exact, line], exact, true, false],
  ["blocking a version that a line also allows", [exact, line], exact, false, true],
  ["removing a version that a blocked line covers", [exact, blockedLine], exact, true, true],
  ["removing a line", [exact, line], line, true, true],
  ["removing a blocked version", [blocked], blocked, true, false],
] as const)("%s", (_, versions, entry, isGone, stops) => {
  expect(rejectsPassing(versions, entry, isGone)).toBe(stops);
});

test("the last version that is not blocked is recognized", () => {
  expect(isLastPassing([exact, blocked], exact)).toBe(true);
  expect(isLastPassing([exact, line], exact)).toBe(false);
});
