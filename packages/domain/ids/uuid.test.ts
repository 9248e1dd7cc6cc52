import { expect, test } from "bun:test";
import { randomFillSync } from "node:crypto";
import fc from "fast-check";
import { firstUuidAt, uuidSource } from "./uuid.ts";

const fromSystem = (bytes: Uint8Array) => void randomFillSync(bytes);
const moment = fc.integer({ min: 0, max: 2 ** 47 });

test("is written as a UUID of version 7 with the RFC's variant, whatever the randomness", () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: 0, max: 255 }), (nowMs, byte) => {
      const id = uuidSource(
        () => nowMs,
        (bytes) => void bytes.fill(byte),
      )();
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );
});

test("an id made later sorts later", () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: 1, max: 1_000_000 }), (nowMs, laterByMs) => {
      let clock = nowMs;
      const next = uuidSource(() => clock, fromSystem);
      const earlier = next();
      clock += laterByMs;
      expect(next() > earlier).toBe(true);
    }),
  );
});

test("the first id of a moment divides those made before it from those made at it", () => {
  fc.assert(
    fc.property(moment, (nowMs) => {
      const made = (atMs: number) => uuidSource(() => atMs, fromSystem)();
      expect(made(nowMs) >= firstUuidAt(nowMs)).toBe(true);
      expect(made(nowMs) < firstUuidAt(nowMs + 1)).toBe(true);
    }),
  );
});

test("ten thousand of one millisecond are all different", () => {
  const next = uuidSource(() => 1_900_000_000_000, fromSystem);
  expect(new Set(Array.from({ length: 10_000 }, next)).size).toBe(10_000);
});

test("no random byte is used twice", () => {
  let portion = 0;
  const next = uuidSource(
    () => 0,
    (bytes) => {
      portion += 1;
      bytes.forEach((_, index) => {
        bytes[index] = index & 255;
      });
      bytes.fill(portion, 0, 10);
    },
  );
  const perPortion = Math.floor(4096 / 10);
  const ids = Array.from({ length: perPortion + 1 }, next);
  expect(ids[0]?.slice(-12)).toBe("010101010101");
  expect(ids[1]?.slice(-12)).toBe("0e0f10111213");
  expect(portion).toBe(2);
  expect(ids[perPortion]?.slice(-12)).toBe("020202020202");
});
