import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { csvCell, csvLine, withoutGuard } from "./cell.ts";

describe("a CSV cell", () => {
  test.each([
    ["plain", "plain"],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["=1+1", "'=1+1"],
    ["+49 30 1234", "'+49 30 1234"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["＝1", "'＝1"],
    ["'=1", "''=1"],
    ["it's", "it's"],
    ["", ""],
  ])("%j is written as %j", (text, written) => {
    expect(csvCell(text)).toBe(written);
  });

  test("numbers and flags are never taken for formulas", () => {
    expect(csvLine([-1, true, null, undefined, "x"])).toBe("-1,true,,,x\r\n");
  });

  test("no text begins a formula, and every text comes back as it was", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("'", "=", "\t", " ", "a") })),
        (text) => {
          const cell = csvCell(text);
          const bare = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
          expect(bare).not.toMatch(/^\s*[=+\-@]/);
          expect(withoutGuard(bare)).toBe(text);
        },
      ),
    );
  });
});
