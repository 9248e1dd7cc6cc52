import { expect, test } from "bun:test";
import { type ColumnMap, type HeaderFault, readHeader } from "./columns.ts";

test("a first row of very many columns is refused, for every row would be read that wide", () => {
  const withIds = (count: number) => readHeader(["notes", ...Array<string>(count).fill("id")], {});
  const fault: HeaderFault = { code: "too_many_columns", params: { columns: 501, max: 500 } };
  expect(withIds(500)).toEqual({ ok: false, fault });
  expect(withIds(499).ok).toBe(true);
});

test("columns that the server decides are ignored, and so are those that the map ignores", () => {
  const owned = ["id", "organization_id", "product_id", "product_name", "global_customer_id"];
  const further = ["current_unique_ip_count", "updated_at", "import_row", "import_error"];
  const ignored = [...owned, ...further, "Phone"];
  expect(readHeader([...ignored, "E-Mail"], { "E-Mail": "customer_email", Phone: null })).toEqual({
    ok: true,
    fields: [...ignored.map(() => null), "customer_email"],
  });
});

const notInFile = { code: "column_not_in_file", params: { column: "Key", found: "notes" } } as const;
const faults: [header: string[], map: ColumnMap, fault: HeaderFault][] = [
  [["license_key", "customer_mail"], {}, { code: "unknown_column", params: { column: "customer_mail" } }],
  [["notes", "Notes"], {}, { code: "duplicate_column", params: { name: "notes" } }],
  [["id", "updated_at"], {}, { code: "no_known_column", params: {} }],
  [["notes"], { Key: "license_key" }, notInFile],
];
test.each(faults)("a first row of %j with the map %j is refused", (header, map, fault) => {
  expect(readHeader(header, map)).toEqual({ ok: false, fault });
});
