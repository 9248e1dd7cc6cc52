import { expect, test } from "bun:test";
import { areOver } from "./first-steps-over.ts";

const steps = (...done: (boolean | undefined)[]) => done.map((isDone) => ({ isDone }));

test.each([
  ["all done", steps(true, true), 1, true],
  ["nothing to do for whoever looks", steps(), 0, true],
  ["one left", steps(true, false), 1, false],
  ["one not known yet", steps(true, undefined), 1, undefined],
  ["one left, but apps validate many licenses", steps(true, false), 52_000, true],
  ["apps validate many licenses, and the rest is not known yet", steps(true, undefined), 52_000, true],
] as const)("the first steps are over: %s", (_, some, usedLicenses, isOver) => {
  expect(areOver(some, usedLicenses)).toBe(isOver);
});
