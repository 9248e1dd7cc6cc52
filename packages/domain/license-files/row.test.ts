import { describe, expect, test } from "bun:test";
import { listed } from "../../../tests/support/listed.ts";
import { noPin } from "../licenses/version-pin.ts";
import { readHeader } from "./columns.ts";
import { type Cells, type ImportedLicense, readRow } from "./row.ts";
import { readTime, Wrong } from "./values.ts";

const counting = { maxIps: 3, ipSystemEnabled: true, ipv6Prefix: 64 } as const;
const defaults = { ...counting, expiresInDays: null, timeZone: "Europe/Berlin" };
const nowMs = Date.UTC(2030, 0, 1);
const read = (cells: Cells, ipv6Prefix: 64 | 128 = 64) => readRow(cells, { ...defaults, ipv6Prefix }, nowMs);
const endingAt = (expiresAtMs: number | null, termMs: number | null = null) => {
  return { expiry: { isLifetime: expiresAtMs === null && termMs === null, expiresAtMs, termMs } };
};
/** Midnight in Berlin. */
const berlin = (year: number, month: number, day: number) => Date.UTC(year, month, day - 1, 23);

const lastDay = endingAt(berlin(2031, 0, 3) - 1);
/** Two addresses count as one, which was registered at the earlier of their times. */
const ips = "2001:db8::1;10.0.0.1;2001:db8::2";
const oldest = {
  ips: ["2001:db8::/64", "10.0.0.1"],
  ipsRegisteredAtMs: [berlin(2020, 0, 1), berlin(2020, 0, 2)],
};
test.each<[says: string, cells: Cells, means: Partial<ImportedLicense>]>([
  ["nothing", {}, { key: null, customer: null, expiry: undefined, tags: undefined, notes: undefined }],
  ["nothing about a revocation", { notes: "x" }, { revokedAtMs: undefined, revokedReason: undefined }],
  ["no revocation", { revoked_at: "" }, { revokedAtMs: null }],
  ["an empty cell", { notes: " ", tags: "" }, { notes: null, tags: [] }],
  ["a key", { license_key: " abc " }, { key: "abc", keyMatch: "ABC" }],
  ["an end", { expires_at: "2031-01-02T00:00Z" }, endingAt(Date.UTC(2031, 0, 2))],
  ["the last day, which ends where the organization is", { expires_at: "2031-01-02" }, lastDay],
  ["a day, which starts there", { created_at: "2030-01-02" }, { createdAtMs: berlin(2030, 0, 2) }],
  ["a term", { term_seconds: "60" }, endingAt(null, 60_000)],
  ["a list", { tags: "b; a ;b;" }, { tags: ["a", "b"] }],
  ["a JSON list", { tags: '["b;c","a"]' }, { tags: ["a", "b;c"] }],
  ["mapped and plain addresses", { ips: "::ffff:10.0.0.1;10.0.0.1" }, { ips: ["10.0.0.1"] }],
  ["addresses with their times", { ips, ips_registered_at: "2020-01-03;2020-01-02;2020-01-01" }, oldest],
  ["addresses without times", { ips: "10.0.0.1", ips_registered_at: "" }, { ipsRegisteredAtMs: undefined }],
  ["revoked by its status alone", { status: "Revoked" }, { revokedAtMs: nowMs }],
  ["a version alone", { version_pinned: "1.2.3" }, { pin: { ...noPin, mode: "pinned", pinned: "1.2.3" } }],
  ["metadata", { metadata: '{ "a": 1 }' }, { metadata: '{"a":1}' }],
])("a valid row that says %s is read as such", (_, cells, means) =>
  expect(read(cells)).toMatchObject({ ok: true, license: means }),
);

describe("wrong rows", () => {
  test.each<[cells: Cells, field: string]>([
    [{ license_key: "a\u0007b" }, "license_key"],
    [{ customer_email: "a b@c" }, "customer_email"],
    [{ customer_email: "a@\u202eb.com" }, "customer_email"],
    [{ customer_email: "ada@example.com", customer_name: "Ada\nLovelace" }, "customer_name"],
    [{ customer_email: "ada@example.com", customer_name: "Ada\u202eecalevoL" }, "customer_name"],
    [{ customer_discord_id: 80351110224678912 }, "customer_discord_id"],
    [{ is_lifetime: "maybe" }, "is_lifetime"],
    [{ is_lifetime: "false" }, "expires_at"],
    [{ term_seconds: "60", expires_at: "2031-01-02" }, "term_seconds"],
    [{ term_seconds: "1.5" }, "term_seconds"],
    [{ max_ips: "0" }, "max_ips"],
    [{ ips: "10.0.0.1/24" }, "ips"],
    [{ ips: '["10.0.0.1", 5]' }, "ips"],
    [{ ips: "10.0.0.1;10.0.0.2", ips_registered_at: "2020-01-01" }, "ips_registered_at"],
    [{ ips: "10.0.0.1", ips_registered_at: "yesterday" }, "ips_registered_at"],
    [{ ips_registered_at: "2020-01-01" }, "ips_registered_at"],
    [{ version_pin_mode: "pinned" }, "version_pinned"],
    [{ custom_override: "{" }, "custom_override"],
    [{ custom_override: '{"a":"{{nobody}}"}' }, "custom_override.a"],
    [{ metadata: "[1]" }, "metadata"],
    [{ tags: "two\nlines" }, "tags.0"],
    [{ tags: "one;\u2067two" }, "tags.1"],
    [{ status: "active", revoked_at: "2020-01-01" }, "status"],
    [{ status: "gone" }, "status"],
    [{ revoked_reason: "why" }, "revoked_reason"],
    [{ notes: "a\0b" }, "notes"],
  ])("the error of the row %j names the field %s", (cells, field) => {
    const result = read(cells);
    expect(result.ok ? [] : result.errors.map((error) => error.field)).toEqual([field]);
    if (!result.ok) expect(result.errors[0]?.code).toMatch(/^[a-z0-9_]+$/);
  });

  test("a /64 is read however the product counts, because exports may contain either", () => {
    const network = { license: { ips: ["2001:db8::/64"] } };
    expect(read({ ips: "2001:db8::/64" })).toMatchObject(network);
    expect(read({ ips: "2001:db8::/64" }, 128)).toMatchObject(network);
    expect(read({ ips: "192.0.2.0/64" }).ok).toBe(false);
  });
});

test.each([
  ["2031-01-02T03:04:05Z", Date.UTC(2031, 0, 2, 3, 4, 5)],
  ["2031-01-02 03:04+01:00", Date.UTC(2031, 0, 2, 2, 4)],
  ["2028-02-29", Date.UTC(2028, 1, 29)],
])("the time %j is read as %p", (text, ms) => expect(readTime(text, "UTC")).toBe(ms));

test.each([
  ...listed("2031-02-29 2031-04-31T00:00:00Z 2031-01-02T25:00:00Z 2031-01-02T03:04:05 1969-12-31"),
  ...["9999-12-31T23:59:59-12:00", "02.01.2031", ""],
])("%j is no time", (text) => expect(readTime(text, "UTC")).toBeInstanceOf(Wrong));

test("a header may name fields in any case, and columns that the server decides are ignored", () => {
  expect(readHeader(["License_Key", "id", " notes "], {})).toEqual({
    ok: true,
    fields: ["license_key", null, "notes"],
  });
  expect(readHeader(["constructor"], {}).ok).toBe(false);
});
