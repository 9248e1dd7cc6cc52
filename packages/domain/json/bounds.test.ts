import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { JsonBounds, type JsonExcess } from "./bounds.ts";

const limits = { depth: 3, values: 8 };

const cases: [text: string, excess: JsonExcess | null][] = [
  ["", null],
  ["7", null],
  ["[[[]]]", null],
  ["[[[[]]]]", "too_deep"],
  ['{"a":{"b":{"c":1}}}', null],
  ['{"a":{"b":{"c":[]}}}', "too_deep"],
  ["[[],[],[]]", null],
  ["[1,2,3,4,5,6,7]", null],
  ["[1,2,3,4,5,6,7,8]", "too_many"],
  ['"[[[[[[,,,,,,,,,"', null],
  ['["[[[\\"[[[", "\\\\"]', null],
  ['["\\\\",[[[', "too_deep"],
  ['"\\u005b[[[[', null],
  ['["\\\\\\"[[[[","\\\\\\\\",[[[[', "too_deep"],
  ['"\\"[[[[', null],
  ['"ä[[[[€[[[["', null],
  ["[[[[[[[[", "too_deep"],
  [",,,,,,,,,,", "too_many"],
  ["]]]]]]]][[[[[[[[", "too_many"],
];

describe("the bounds of a JSON text", () => {
  test.each(cases)("%s: %p, in one piece and byte by byte", (text, excess) => {
    const bytes = Buffer.from(text);
    expect(new JsonBounds(limits).read(bytes)).toBe(excess);
    const slowly = new JsonBounds(limits);
    let found: JsonExcess | null = null;
    for (const byte of bytes) found ??= slowly.read(Uint8Array.of(byte)) ?? slowly.read(new Uint8Array());
    expect(found).toBe(excess);
  });

  test("what is read is no more than what shows the excess", () => {
    let looked = 0;
    const bytes = new Proxy(new Uint8Array(8_000_000).fill(0x5b), {
      get: (target, name) => {
        if (typeof name === "string" && /^\d+$/.test(name)) looked += 1;
        return Reflect.get(target, name);
      },
    });
    expect(new JsonBounds({ depth: 40, values: 1_000 }).read(bytes)).toBe("too_deep");
    expect(looked).toBe(41);
  });

  test("no JSON text has more levels or values than are counted", () =>
    forAll(100, [fc.jsonValue({ maxDepth: 6 })], (value) => {
      const { depth, values } = sizeOf(value);
      const bytes = Buffer.from(JSON.stringify(value));
      const room = { depth: Math.max(depth, 1), values: values + lists(value) + 1 };
      expect(new JsonBounds(room).read(bytes)).toBeNull();
      if (depth > 0) expect(new JsonBounds({ depth: depth - 1, values: 1e9 }).read(bytes)).toBe("too_deep");
      if (values > 1) expect(new JsonBounds({ depth: 1e9, values: values - 1 }).read(bytes)).toBe("too_many");
    }));
});

function sizeOf(value: unknown): { depth: number; values: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 1 };
  const inside = Object.values(value).map(sizeOf);
  return {
    depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
    values: 1 + inside.reduce((sum, one) => sum + one.values, 0),
  };
}

/** An empty list or object is counted as if it held one value. */
function lists(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((sum: number, one) => sum + lists(one), 0);
}
