import { expect, test } from "bun:test";
import { importRow } from "../../../../tests/support/import-row.ts";
import { rowReader } from "./row-reader.ts";
import { rowsOf } from "./rows.ts";

const pieceLength = 512 * 1024;
const piece = (text: string) => text.repeat(Math.floor(pieceLength / text.length));
const organization = { organizationId: "1", productId: "2" };

test.each([
  ["a JSON document without records", "json", piece('{"data":[]}'), 0],
  ["very many JSON records", "json", `[${piece("[],")}[]]`, 174_763],
  ["a CSV file of empty lines", "csv", `license_key\n${piece("\n")}`, 0],
  ["JSON Lines without lines", "jsonl", piece("\n"), 0],
] as const)(
  "while %s is read, everything that waits goes first several times",
  async (_name, format, text, count) => {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    let rows = 0;
    for await (const part of rowsOf(rowReader(importRow(organization, { format }), 1), text))
      rows += part.length;
    isOver = true;
    expect(rows).toBe(count);
    expect(turns).toBeGreaterThanOrEqual(8);
  },
);
