import { describe, expect, test } from "bun:test";
import { JsonBounds, type JsonExcess } from "./bounds.ts";

const limits = { depth: 3, values: 8 };

/** What opens inside of a text counts for nothing, and every value behind a comma or in a list or object as one. */
const cases: [text: string, excess: JsonExcess | null][] = [
  ["", null],
  ["7", null],
  ["[[[]]]", null],
  ["[[[[]]]]", "too_deep"],
  ['{"a":{"b":{"c":1}}}', null],
  ['{"a":{"b":{"c":[]}}}', "too_deep"],
  ["[[],[],[]]", null],
  ['{"a":1,"b":{"c":[2,3]},"d":[]}', null],
  ['{"a":1,"b":{"c":[2,3]},"d":[],"e":{}}', "too_many"],
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
  test.each(cases)("reading %s results in %p, in one piece and byte by byte", (text, excess) => {
    const bytes = Buffer.from(text);
    expect(new JsonBounds(limits).read(bytes)).toBe(excess);
    const slowly = new JsonBounds(limits);
    let found: JsonExcess | null = null;
    for (const byte of bytes) found ??= slowly.read(Uint8Array.of(byte)) ?? slowly.read(new Uint8Array());
    expect(found).toBe(excess);
  });

  test("no more is read than what shows the excess", () => {
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
});
