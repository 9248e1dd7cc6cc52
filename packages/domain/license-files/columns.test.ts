import { expect, test } from "bun:test";
import { readHeader } from "./columns.ts";

test("a first row of very many columns is refused, for every row would be read that wide", () => {
  const header = readHeader(["notes", ...Array<string>(500).fill("id")], {});
  expect(header).toEqual({
    ok: false,
    fault: { code: "too_many_columns", params: { columns: 501, max: 500 } },
  });
  expect(readHeader(["notes", ...Array<string>(499).fill("id")], {}).ok).toBe(true);
});
