import { expect, test } from "bun:test";
import { randomFillSync } from "node:crypto";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { firstUuidAt, uuidSource } from "./uuid.ts";

const fromSystem = (bytes: Uint8Array) => void randomFillSync(bytes);
const moment = fc.integer({ min: 0, max: 2 ** 47 });

test("an ID is a UUID of version 7 with the RFC's variant, whatever the randomness", () =>
  forAll(100, [moment, fc.integer({ min: 0, max: 255 })], (nowMs, byte) => {
    const id = uuidSource(
      () => nowMs,
      (bytes) => void bytes.fill(byte),
    )();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }));

test("an ID that is made later sorts later", () =>
  forAll(100, [moment, fc.integer({ min: 1, max: 1_000_000 })], (nowMs, laterByMs) => {
    let clock = nowMs;
    const next = uuidSource(() => clock, fromSystem);
    const earlier = next();
    clock += laterByMs;
    expect(next() > earlier).toBe(true);
  }));

test("the first ID of a moment sorts after those made before it, and not after those made at it", () =>
  forAll(100, [moment], (nowMs) => {
    const made = (atMs: number) => uuidSource(() => atMs, fromSystem)();
    expect(made(nowMs) >= firstUuidAt(nowMs)).toBe(true);
    expect(made(nowMs) < firstUuidAt(nowMs + 1)).toBe(true);
  }));

test("within a millisecond, IDs are different, and sort in the order of creation until its numbers are exhausted", () => {
  const next = uuidSource(() => 1_900_000_000_000, fromSystem);
  const ids = Array.from({ length: 10_000 }, next);
  expect(new Set(ids).size).toBe(10_000);
  const first = ids.slice(0, 4_096);
  expect(first).toEqual(first.toSorted());
});

test("new randomness is drawn every millisecond, and every 4,096 IDs within one", () => {
  let clock = 0;
  let draws = 0;
  const next = uuidSource(
    () => clock,
    (bytes) => {
      draws += 1;
      bytes.fill(draws);
    },
  );
  const drawsAfter = (count: number) => {
    for (let made = 0; made < count; made++) next();
    return draws;
  };
  expect(drawsAfter(4_096)).toBe(1);
  expect(drawsAfter(1)).toBe(2);
  clock += 1;
  expect(drawsAfter(1)).toBe(3);
  clock -= 1;
  expect(drawsAfter(1)).toBe(4);
});

test("two sources that make IDs at the same time make different ones", () => {
  const sources = [uuidSource(() => 7, fromSystem), uuidSource(() => 7, fromSystem)];
  const ids = sources.flatMap((next) => Array.from({ length: 1_000 }, next));
  expect(new Set(ids).size).toBe(2_000);
});
