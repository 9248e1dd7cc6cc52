import { expect, test } from "bun:test";
import { exactUniques, hash48, UniqueCount, uniqueError } from "./unique-count.ts";

const texts = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `203.0.${(from + at) >> 8}.${(from + at) & 255}`);

test("up to 256 texts are counted exactly, however often each is added", () => {
  for (const size of [0, 1, 2, 100, exactUniques]) {
    const count = UniqueCount.of([...texts(0, size), ...texts(0, size)]);
    expect(count.size).toBe(size);
    expect(UniqueCount.parse(count.toText()).size).toBe(size);
  }
});

test("the error of estimates is the stated one, for small and large numbers and for alike texts", () => {
  for (const size of [257, 500, 2_000, 6_000, 30_000]) {
    const errors = Array.from({ length: 40 }, (_, trial) => {
      const count = new UniqueCount();
      for (let at = 0; at < size; at++) count.add(`${trial}-${at}`);
      return count.size / size - 1;
    });
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
    // 40 trials are few: their mean and deviation vary.
    expect(Math.abs(mean)).toBeLessThan(uniqueError / 2);
    expect(deviation).toBeLessThan(uniqueError * 1.3);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(uniqueError * 4);
  }
}, 30_000);

test("merging depends only on the set, not on order, grouping, repetition or whether it was stored", () => {
  const sizes = [0, 3, 200, 256, 257, 900, 5_000];
  const merged = (...counts: readonly UniqueCount[]) => {
    const all = new UniqueCount();
    for (const count of counts) all.merge(count);
    return all.toText();
  };
  for (const first of sizes)
    for (const second of sizes) {
      const [a, b] = [texts(0, first), texts(first >> 1, second)];
      const [one, other] = [UniqueCount.of(a), UniqueCount.of(b)];
      const expected = UniqueCount.of([...a, ...b]).toText();
      expect(merged(one, other)).toBe(expected);
      expect(merged(other, one)).toBe(expected);
      expect(merged(one, other, one, UniqueCount.parse(expected))).toBe(expected);
      const third = UniqueCount.of(texts(100, 300));
      const grouped = UniqueCount.parse(merged(other, third));
      expect(merged(one, grouped)).toBe(merged(UniqueCount.parse(merged(one, other)), third));
      one.mergeText(other.toText());
      expect(one.toText()).toBe(expected);
    }
});

test("hashes do not change, because stored counts depend on them", () => {
  const hashes = [63_382_227_455_136, 128_438_382_708_469, 173_002_666_404_997];
  expect(["", "a", "203.0.113.7"].map(hash48)).toEqual(hashes);
});

test("a text that is no count is refused", () => expect(() => UniqueCount.parse("~abc")).toThrow());
