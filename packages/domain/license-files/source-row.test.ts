import { describe, expect, test } from "bun:test";
import type { ColumnMap } from "./columns.ts";
import type { Cells } from "./row.ts";
import { readSourceHeader, SourceReader } from "./source-row.ts";
import { type ImportSourceId, importSourceIds, importSources, sourceOf } from "./sources.ts";

const nowMs = Date.UTC(2030, 0, 1);
const read = (source: ImportSourceId, record: object, map: ColumnMap = {}) =>
  new SourceReader(source, map, nowMs).read(record);
const cellsOf = (...args: Parameters<typeof read>): Cells => {
  const row = read(...args);
  return row.kind === "license" ? row.cells : { notes: row };
};

const licenseGate = { licenseKey: "K", active: true };
const squeezy = (attributes: object) => ({ type: "license-keys", attributes: { key: "K", ...attributes } });
const sale = { "License Key": "K" };

/** The samples in tests/support/import-samples show a whole file of each service. */
const rows: [says: string, source: ImportSourceId, record: object, cells: Cells][] = [
  ["a number as a key", "licensegate", { licenseKey: 12_345 }, { license_key: "12345" }],
  [
    "a time without a zone, which is UTC",
    "gumroad",
    { ...sale, "Purchase Time (UTC timezone)": "2025-04-01 09:08:07" },
    { license_key: "K", created_at: "2025-04-01T09:08:07Z" },
  ],
  [
    "a time with an offset",
    "gumroad",
    { ...sale, "Purchase Time (UTC timezone)": "2025-04-01 09:08:07 -0700" },
    { license_key: "K", created_at: "2025-04-01T09:08:07-07:00" },
  ],
  [
    "an earlier column of the same field",
    "gumroad",
    { ...sale, "Purchase Time (UTC timezone)": "2025-04-01 09:08:07 UTC", "Purchase Date": "2025-04-01" },
    { license_key: "K", created_at: "2025-04-01T09:08:07Z" },
  ],
  [
    "no expiry",
    "licensegate",
    { ...licenseGate, expirationDate: null },
    { license_key: "K", is_lifetime: true },
  ],
  [
    "nothing about an expiry, so that the product's usual one applies",
    "licensegate",
    licenseGate,
    { license_key: "K" },
  ],
  [
    "an expiry that is no date, which is refused later",
    "licensegate",
    { ...licenseGate, expirationDate: "soon" },
    { license_key: "K", expires_at: "soon" },
  ],
  [
    "no limit of IP addresses",
    "licensegate",
    { ...licenseGate, ipLimit: null },
    { license_key: "K", ip_system_enabled: false },
  ],
  [
    "a limit of IP addresses",
    "licensegate",
    { ...licenseGate, ipLimit: 3 },
    { license_key: "K", max_ips: 3 },
  ],
  [
    "name and notes that are the same",
    "licensegate",
    { ...licenseGate, name: "x", notes: "x" },
    { license_key: "K", notes: "x" },
  ],
  [
    "a column of ours that was added",
    "licensegate",
    { ...licenseGate, customer_email: "a@example.com" },
    { license_key: "K", customer_email: "a@example.com" },
  ],
  [
    "a status in other letters",
    "lemon-squeezy",
    squeezy({ status: "Disabled" }),
    { license_key: "K", status: "revoked", revoked_reason: "Lemon Squeezy: attributes.status is disabled" },
  ],
  [
    "expired, with a date in the past",
    "lemon-squeezy",
    squeezy({ status: "expired", expires_at: "2029-01-01T00:00:00Z" }),
    { license_key: "K", expires_at: "2029-01-01T00:00:00Z" },
  ],
  [
    "expired, with a date in the future",
    "lemon-squeezy",
    squeezy({ status: "expired", expires_at: "2031-01-01T00:00:00Z" }),
    {
      license_key: "K",
      expires_at: "2031-01-01T00:00:00Z",
      status: "revoked",
      revoked_reason: "Lemon Squeezy: attributes.status is expired",
    },
  ],
  ["tags as text", "gumroad", { ...sale, Recurrence: "monthly" }, { license_key: "K", tags: ["monthly"] }],
  [
    "metadata with the name of a prototype",
    "cryptlex",
    { key: "K", metadata: [{ key: "__proto__", value: "x" }, { value: 1 }, 2] },
    { license_key: "K", metadata: JSON.parse('{"__proto__":"x"}') },
  ],
];

test.each(rows)("a record that says %s is read as such", (_, source, record, cells) =>
  expect(JSON.parse(JSON.stringify(cellsOf(source, record)))).toEqual(JSON.parse(JSON.stringify(cells))),
);

describe("wrong records", () => {
  test.each([
    [
      "an unknown status",
      "keygen",
      { type: "licenses", attributes: { key: "K", status: "PAUSED" } },
      "status",
      "not_one_of",
    ],
    [
      "a status that is no word",
      "licensegate",
      { licenseKey: "K", active: { a: 1 } },
      "status",
      "not_one_of",
    ],
    ["no key", "keygen", { type: "licenses", attributes: { expiry: null } }, "license_key", "too_short"],
  ] as const)("a record with %s is refused", (_, source, record, field, code) =>
    expect(read(source, record)).toMatchObject({ kind: "wrong", error: { field, code } }),
  );

  test("only the first product of a file is imported, unless its column is ignored", () => {
    const reader = new SourceReader("cryptlex", {}, nowMs);
    const kinds = ["p1", "p2", null, "p1"].map((productId) => reader.read({ key: "K", productId }).kind);
    expect(kinds).toEqual(["license", "wrong", "license", "license"]);
    const lenient = new SourceReader("cryptlex", { productId: null }, nowMs);
    expect(["p1", "p2"].map((productId) => lenient.read({ key: "K", productId }).kind)).toEqual([
      "license",
      "license",
    ]);
  });
});

test("a record of Keygen gets what the records say that it names, if they come first", () => {
  const reader = new SourceReader("keygen", {}, nowMs);
  const owner = { data: { type: "users", id: "u" } };
  const policy = { data: { type: "policies", id: "p" } };
  const license = {
    type: "licenses",
    attributes: { key: "K", expiry: null },
    relationships: { owner, policy },
  };
  expect(reader.read(license)).toMatchObject({ kind: "wrong", error: { code: "record_not_in_file" } });
  expect(reader.read({ type: "users", id: "u", attributes: { email: "a@example.com" } }).kind).toBe(
    "related",
  );
  expect(reader.read({ type: "policies", id: "p", attributes: { duration: 60 } }).kind).toBe("related");
  expect(reader.read({ type: "machines", id: "m" }).kind).toBe("related");
  expect(reader.read(license)).toMatchObject({
    cells: { customer_email: "a@example.com", term_seconds: 60 },
  });
});

test("the header of a CSV file may write the columns in other letters, and has to have one of them", () => {
  expect(readSourceHeader([" license key ", "Company"], "gumroad", {})).toEqual({
    ok: true,
    names: ["License Key", "Company"],
  });
  expect(readSourceHeader(["Company"], "gumroad", {})).toMatchObject({ fault: { code: "no_known_column" } });
  expect(readSourceHeader(["License Key"], "gumroad", { Company: "notes" })).toMatchObject({
    fault: { code: "column_not_in_file" },
  });
});

test("each service is recognized by its own columns", () => {
  for (const id of importSourceIds) {
    const { columns, leftOut } = importSources[id];
    expect(sourceOf([...Object.keys(columns), ...Object.keys(leftOut)])).toBe(id);
    expect(Object.keys(leftOut).filter((column) => Object.hasOwn(columns, column))).toEqual([]);
  }
  expect(sourceOf(["license_key", "customer_email"])).toBeNull();
});
