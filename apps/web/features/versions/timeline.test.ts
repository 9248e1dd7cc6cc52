import { expect, test } from "bun:test";
import { isLastPassing, rejectsPassing } from "./timeline.tsx";

const exact = { version: "2.1.3", state: "allowed" } as const;
const line = { version: "2.1.x", state: "allowed" } as const;
const blockedLine = { version: "2.1.x", state: "blocked" } as const;
const blocked = { version: "1.0.0", state: "blocked" } as const;

test.each([
  ["a removed version that nothing else allows is refused", [exact, blocked], exact, true, true],
  ["a removed version that a line also allows is not refused", [exact, line], exact, true, false],
  ["a blocked version that a line also allows is refused", [exact, line], exact, false, true],
  ["a removed version that a blocked line covers is refused", [exact, blockedLine], exact, true, true],
  ["versions of a removed line are refused", [exact, line], line, true, true],
  ["removing a blocked version refuses no other", [blocked], blocked, true, false],
] as const)("%s", (_, versions, entry, isGone, stops) => {
  expect(rejectsPassing(versions, entry, isGone)).toBe(stops);
});

test("the last version that is not blocked is recognized", () => {
  expect(isLastPassing([exact, blocked], exact)).toBe(true);
  expect(isLastPassing([exact, line], exact)).toBe(false);
});
