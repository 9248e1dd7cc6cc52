import { describe, expect, test } from "bun:test";
import { JsonProblem, type JsonRecord, JsonRecordReader } from "./records.ts";

function readIn(text: string, paths: readonly string[], size: number, maxLength = 1_000): JsonRecord[] {
  const reader = new JsonRecordReader(paths, maxLength);
  const records: JsonRecord[] = [];
  for (let at = 0; at < text.length; at += size) records.push(...reader.read(text.slice(at, at + size)));
  return [...records, ...reader.end()];
}

const texts = (records: readonly JsonRecord[]) => records.map(({ path, text }) => [path, JSON.parse(text)]);
const odd = { a: 'quote " bracket ] brace } slash \\', b: [[1], { c: "\\\\" }], "}": null };

const documents: [says: string, text: string, paths: string[], records: [string, unknown][]][] = [
  [
    "an array at the top",
    JSON.stringify([odd, 2, "x", null, []]),
    [""],
    [odd, 2, "x", null, []].map((one) => ["", one]),
  ],
  [
    "an array in a member",
    JSON.stringify({ meta: odd, data: [odd, odd] }, null, 2),
    ["data"],
    [
      ["data", odd],
      ["data", odd],
    ],
  ],
  [
    "an array further down",
    JSON.stringify({ data: { list: [1] }, list: [2] }),
    ["data.list"],
    [["data.list", 1]],
  ],
  [
    "two arrays",
    '{"data":[1],"included":[2]}',
    ["data", "included"],
    [
      ["data", 1],
      ["included", 2],
    ],
  ],
  [
    "documents that follow each other",
    '{"data":[1]}\n{"data":[2]}[3]',
    ["data", ""],
    [
      ["data", 1],
      ["data", 2],
      ["", 3],
    ],
  ],
  ["a name that looks like a value", '{"x":"data","data" : [1]}', ["data"], [["data", 1]]],
  ["an escaped name", '{"\\u0064ata":[1]}', ["data"], [["data", 1]]],
  ["no such array", '{"other":[{"data":[1]}]}', ["data"], []],
  ["a byte order mark", "\ufeff[1]", [""], [["", 1]]],
  ["nothing", "  ", [""], []],
];

describe.each(documents)("a document with %s", (_, text, paths, records) => {
  test.each([1, 2, 7, 1_000])("is read in chunks of %d", (size) =>
    expect(texts(readIn(text, paths, size))).toEqual(records),
  );
});

test.each([
  ["an array that is cut off", "[1, 2", { code: "json_not_closed", params: {} }],
  ["an object that is cut off", '{"data": [{"a": 1}', { code: "json_not_closed", params: {} }],
  ["a text that is cut off", '[{"a": "b', { code: "json_not_closed", params: {} }],
  ["an array closed by a brace", "[1, 2}", { code: "json_invalid", params: { row: 3 } }],
  ["no array or object", "1", { code: "json_invalid", params: { row: 1 } }],
  ["too many arrays around", `{"a":${"[".repeat(101)}`, { code: "json_invalid", params: { row: 1 } }],
  ["a long record", `[1, "${"x".repeat(2_000)}"]`, { code: "row_too_long", params: { row: 2 } }],
] as const)("a document with %s is refused", (_, text, fault) => {
  try {
    readIn(text, [""], 100);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(JsonProblem);
    expect((error as JsonProblem).fault).toEqual(fault);
  }
});

test("a large document is read in time that grows with its length", () => {
  const record = JSON.stringify({ id: "x".repeat(400), metadata: odd });
  const text = `{"data":[${Array.from({ length: 20_000 }, () => record).join(",")}]}`;
  const startedMs = performance.now();
  expect(readIn(text, ["data"], 512 * 1024, 1024 * 1024)).toHaveLength(20_000);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
