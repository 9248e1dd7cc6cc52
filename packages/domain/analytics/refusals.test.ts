import { describe, expect, test } from "bun:test";
import { refusalChange, refusedShare, usualShare } from "./refusals.ts";

const of = (validations: number, refused: number) => ({ validations, refused });

describe("refusals that need attention", () => {
  test.each([
    ["no validations", of(0, 0), of(1000, 10), null],
    ["a few refusals of few validations", of(30, 19), of(1000, 10), null],
    ["many refusals, but a small share", of(10_000, 499), of(10_000, 10), null],
    ["twice the usual share", of(1000, 80), of(7000, 280), "risen"],
    ["less than twice the usual share", of(1000, 79), of(7000, 280), null],
    ["refusals where there were none", of(1000, 50), of(7000, 0), "risen"],
    ["half of all, as usual", of(1000, 530), of(7000, 3500), "high"],
    ["half of all, in the first days", of(100, 53), of(49, 0), "high"],
    ["a tenth of all, in the first days", of(1000, 100), of(49, 0), null],
    ["a quarter", of(80, 20), of(0, 0), "high"],
  ] as const)("%s", (_name, now, before, expected) => {
    expect(refusalChange(now, before)).toBe(expected);
  });

  test("the usual share is only known after enough validations", () => {
    expect([usualShare(of(49, 20)), usualShare(of(50, 20))]).toEqual([null, 0.4]);
    expect([refusedShare(of(0, 0)), refusedShare(of(4, 1))]).toEqual([null, 0.25]);
  });
});
