import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { csvLine, withoutGuard } from "./cell.ts";

const csvCell = (text: string) => csvLine([text]).slice(0, -"\r\n".length);

describe("a CSV cell", () => {
  test.each([
    ["plain", "plain"],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["=1+1", "'=1+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "\"'\t'=1\""],
    ["a;=1", '"a;\'=1"'],
    ['a;"=1;', '"a;\'""=1;"'],
    ["a; '=1", "\"a;' '=1\""],
    ["a\n-1", '"a\n\'-1"'],
    ["a,=1", '"a,=1"'],
    ["＝1", "'＝1"],
    ["'=1", "''=1"],
    ["it's", "it's"],
    ["", ""],
  ])("%j is written as %j", (text, written) => expect(csvCell(text)).toBe(written));

  test("numbers and flags are never taken for formulas", () =>
    expect(csvLine([-1, true, null, undefined, "x"])).toBe("-1,true,,,x\r\n"));

  test("no text begins a formula where cells are parted by semicolons or tabs and quotes mean nothing", () => {
    const text = fc.string({ unit: fc.constantFrom(";", "\t", "\n", '"', ",", "=", "@", "'", " ", "a") });
    forAll(100, [fc.array(text, { minLength: 1, maxLength: 4 })], (texts) => {
      for (const piece of csvLine(texts).split(/[;\t\r\n]/)) expect(piece).not.toMatch(/^["\s]*[=+\-@]/);
    });
  });

  test("no text begins a formula, and every text comes back as it was", () => {
    const hostile = fc.string({ unit: fc.constantFrom("'", "=", "\t", ";", "\n", '"', " ", "a") });
    forAll(100, [fc.oneof(fc.string(), hostile)], (text) => {
      const cell = csvCell(text);
      const bare = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
      expect(bare).not.toMatch(/^\s*[=+\-@]/);
      expect(withoutGuard(bare)).toBe(text);
    });
  });
});
