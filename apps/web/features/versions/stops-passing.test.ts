import { expect, test } from "bun:test";
import { isLastPassing, stopsPassing } from "./stops-passing.ts";

const exact = { version: "2.1.3", state: "allowed" } as const;
const line = { version: "2.1.x", state: "allowed" } as const;
const blocked = { version: "1.0.0", state: "blocked" } as const;

test.each([
  ["one version that nothing else allows is removed", [exact, blocked], exact, true, true],
  ["one version that a line allows too is removed", [exact, line], exact, true, false],
  ["one version that a line allows too is blocked", [exact, line], exact, false, true],
  [
    "one version that a blocked line holds is removed",
    [exact, { ...line, state: "blocked" as const }],
    exact,
    true,
    true,
  ],
  ["a line is removed", [exact, line], line, true, true],
  ["what is blocked already is removed", [blocked], blocked, true, false],
] as const)("%s", (_, versions, entry, isGone, stops) => {
  expect(stopsPassing(versions, entry, isGone)).toBe(stops);
});

test("without the last version that passes, none does", () => {
  expect(isLastPassing([exact, blocked], exact)).toBe(true);
  expect(isLastPassing([exact, line], exact)).toBe(false);
});
