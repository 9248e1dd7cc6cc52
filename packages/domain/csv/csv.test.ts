import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { CsvProblem, CsvReader, csvLine, delimiterOf, maxRecordLength, withoutGuard } from "./csv.ts";

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

function readAll(text: string, pieceLength = text.length || 1): string[][] {
  const reader = new CsvReader();
  const records: string[][] = [];
  for (let at = 0; at < text.length; at += pieceLength)
    records.push(...reader.read(text.slice(at, at + pieceLength)));
  return [...records, ...reader.end()];
}

describe("CsvReader", () => {
  /** Records as text: cells have | between them, records /. */
  test.each<[text: string, records: string | null]>([
    ["", null],
    ["a", "a"],
    ["a,b\r\nc,d\r\n", "a|b/c|d"],
    ["a\rb", "a/b"],
    ["\ufeffa,b\n", "a|b"],
    ["a,\n,b\n", "a|/|b"],
    ["a\n\nb\n", "a//b"],
    ['"a,b","c""d","e\r\nf"\n', 'a,b|c"d|e\r\nf'],
    ['""', ""],
    ['a"b,c', 'a"b|c'],
  ])("%j is read as %j, in one piece or in many", (text, records) => {
    const expected = records === null ? [] : records.split("/").map((record) => record.split("|"));
    for (const length of [1, 2, 3, text.length || 1]) expect(readAll(text, length)).toEqual(expected);
  });

  test("what was written as lines comes back, however it is cut into pieces", () => {
    const unit = fc.constantFrom('"', ",", "\r", "\n", "'", "=", "a", " ", "😀");
    const cell = fc.string({ unit, maxLength: 6 });
    const record = fc.array(cell, { minLength: 2, maxLength: 4 });
    forAll(100, [fc.array(record, { maxLength: 6 }), fc.integer({ min: 1, max: 9 })], (records, length) => {
      const text = records.map((cells) => csvLine(cells)).join("");
      expect(readAll(text, length).map((cells) => cells.map(withoutGuard))).toEqual(records);
    });
  });

  test("a quote that is never closed is named by its row, and is not read for ever", () => {
    expect(() => readAll('a\n"b')).toThrow(new CsvProblem({ code: "quote_not_closed", params: { row: 2 } }));
    const reader = new CsvReader();
    reader.read('a\n"');
    expect(() => {
      for (let length = 0; length <= maxRecordLength; length += 65_536) reader.read("x".repeat(65_536));
    }).toThrow(new CsvProblem({ code: "row_too_long", params: { row: 2 } }));
  });

  test("text behind a closing quote is named by its row and column", () => {
    const fault = { code: "text_after_quote", params: { row: 2, column: 2 } };
    expect(() => readAll('a,b\nc,"d"e\n')).toThrow(expect.objectContaining({ fault }));
  });
});

test.each([
  ["a,b,c", ","],
  ["a;b;c", ";"],
  ["a\tb", "\t"],
  ["a", ","],
  ['"x;y;z",b', ","],
])("%j has cells parted by %j", (line, delimiter) => expect(delimiterOf(line)).toBe(delimiter as ","));
