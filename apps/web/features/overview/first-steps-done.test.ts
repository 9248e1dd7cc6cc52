import { expect, test } from "bun:test";
import { areStepsDone, isPastFirstDays } from "./first-steps-done.ts";

const steps = (...done: (boolean | undefined)[]) => done.map((isDone) => ({ isDone }));

test.each([
  ["all done", steps(true, true), 1, true],
  ["nothing to do for the current user", steps(), 0, true],
  ["one left", steps(true, false), 1, false],
  ["one not known yet", steps(true, undefined), 1, undefined],
  ["one left, but apps validate many licenses", steps(true, false), 52_000, true],
  ["apps validate many licenses, and the rest is not known yet", steps(true, undefined), 52_000, true],
] as const)("the first steps are over: %s", (_, some, usedLicenses, isOver) => {
  expect(areStepsDone(some, usedLicenses)).toBe(isOver);
});

test.each([
  ["a minute old", "2026-11-17T11:59:00Z", false],
  ["30 days old", "2026-10-18T12:00:00Z", false],
  ["a day older", "2026-10-17T12:00:00Z", true],
] as const)("an organization is past its first days: %s", (_, createdAt, isPast) => {
  expect(isPastFirstDays(createdAt, Date.parse("2026-11-17T12:00:00Z"))).toBe(isPast);
});
