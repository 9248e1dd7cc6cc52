import { describe, expect, test } from "bun:test";
import type { Route } from "@countersign/contract/api/route";
import * as actions from "@countersign/contract/manage/license-actions";
import * as licenses from "@countersign/contract/manage/licenses";
import type { FieldErrorBody } from "@countersign/contract/problems/declare";
import type { ProductRow } from "@countersign/store/tables/products";
import { readBody, readQuery } from "../../api/input.ts";
import { Problem } from "../../http/problem.ts";
import { readDrafts } from "./create.ts";
import { checkTotalSize } from "./create-many.ts";
import type { LicenseInput } from "./fields.ts";

const who = { customer_email: "a@b.c" };
const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
const defaults = { default_max_ips: 1, default_ip_system_enabled: 1, default_expires_in_days: null };
const product = defaults as ProductRow;

/** The errors of an input; null if it is accepted. Texts are sent as they are. */
async function errorsOf(route: Route, sent: unknown): Promise<readonly FieldErrorBody[] | null> {
  const body = typeof sent === "string" ? sent : JSON.stringify(sent);
  const headers = { "content-type": "application/json" };
  try {
    const { value } = await readBody(route, new Request("http://test", { method: "POST", body, headers }));
    if (route === licenses.createLicenses) {
      const { count = 1, licenses: list, ...fields } = value as LicenseInput & Record<string, never>;
      const inputs: LicenseInput[] = list ?? Array(count).fill(fields);
      const prefixOf = (index: number) => (list === undefined ? "" : `licenses.${index}.`);
      checkTotalSize(readDrafts(inputs, prefixOf, { product, timeZone: "UTC", nowMs: Date.UTC(2030, 0, 1) }));
    }
    return null;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    expect(problem.status).toBe(422);
    for (const { field, message } of problem.errors) {
      expect(message).toStartWith(`${field} `);
      expect(message).toEndWith(".");
    }
    return problem.errors;
  }
}

const fieldOf = async (route: Route, sent: unknown) => (await errorsOf(route, sent))?.[0]?.field ?? null;

describe("licenses", () => {
  /** By the schema, which creating and changing a license share: values of the first part of each path. */
  const byBoth: [field: string, values: unknown[]][] = [
    ["notes", ["a\u0000b", "a\ud800b", 7, "n".repeat(10_001)]],
    ["tags", [Array.from({ length: 21 }, (_, index) => `t${index}`), "vip", null]],
    ["tags.0", [["a\u0000"], ["two\nlines"], ["   "], [""], [5], ["t".repeat(51)]]],
    ["tags.1", [["fine", "\udc00"]]],
    ["metadata", ["x".repeat(100_000), "{}", [1]]],
    ["metadata.a.b", [{ a: { b: "\u0000" } }]],
    ["custom_override", [[]]],
    ["customer_email", ["", "nobody", "a@b@c", "a\u0000@b.c", `${"a".repeat(251)}@b.c`, ["a@b.c"]]],
    ["customer_name", [" ", "\ud83d"]],
    ["customer_discord_id", [1_234_567_890, "", "ada#1234"]],
    ["max_ips", [1e21, 1.5, "5", 0, -1, null]],
    ["ip_system_enabled", ["true"]],
    ["expires_in_seconds", [0, Number.MAX_SAFE_INTEGER]],
    ["term_seconds", [0, -5]],
    ["expires_at", ["", "tomorrow", "2031-02-30T00:00:00Z", "2031-02-30", 1_900_000_000]],
    ["version_pinned", ["9".repeat(65)]],
    ["version_pin_mode", ["latest"]],
  ];
  test.each(byBoth)("creating and changing a license refuse an invalid %s", async (field, values) => {
    const [name = ""] = field.split(".");
    for (const value of values) {
      const sent = { [name]: value };
      const body = { ...who, ...sent };
      expect(await fieldOf(licenses.createLicenses, body)).toBe(field);
      expect(await fieldOf(licenses.createLicenses, { licenses: [who, body] })).toBe(`licenses.1.${field}`);
      expect(await fieldOf(licenses.updateLicense, sent)).toBe(field);
    }
  });

  /** By rules that consider several fields, or what is inside of one. */
  const keys = ["k".repeat(65), "a\u202eb", "  ", 5, null];
  const twice = ["twice", " TWICE"].map((license_key) => ({ ...who, license_key }));
  const long = { metadata: { text: "m".repeat(8_000) }, notes: "n".repeat(10_000) };
  const byRules: [field: string, sent: object[]][] = [
    ["customer_email", [{ customer_email: undefined }, { customer_email: null, customer_discord_id: null }]],
    ["expires_at", [{ expires_at: "0001-01-01T00:00:00Z" }, { expires_at: "9999-12-31T23:59:59-12:00" }]],
    ["expires_at", [{ is_lifetime: false }, { is_lifetime: true, expires_at: "2031-01-01T00:00:00Z" }]],
    ["term_seconds", [{ expires_in_seconds: 5, term_seconds: 5 }]],
    ["version_pinned", [{ version_pinned: "" }, { version_pinned: "newest" }]],
    ["version_pinned", [{ version_pin_mode: "pinned" }]],
    ["version_range_min", [{ version_pin_mode: "range" }, { version_pinned: "1", version_range_min: "1" }]],
    ["version_range_max", [{ version_range_min: "2.1", version_range_max: "2.1.0" }]],
    ["metadata", [{ metadata: { long: "x".repeat(8_200) } }, { metadata: nested(33) }]],
    ["custom_override.hello", [{ custom_override: { hello: "{{nobody}}" } }]],
    ["custom_override", [{ ...long, count: 1_000, custom_override: { text: "o".repeat(16_000) } }]],
    ["license_key", keys.map((license_key) => ({ license_key }))],
    ["count", [{ count: 10_001 }, { count: 0 }, { count: 0.5 }]],
    ["licenses", [{ licenses: [] }, { licenses: Array(10_001).fill(who) }]],
    ["licenses.1.customer_email", [{ customer_email: undefined, licenses: [who, {}] }]],
    ["licenses.1.license_key", [{ customer_email: undefined, licenses: twice }]],
  ];
  test.each(byRules)("%s is refused because of other fields, contents or numbers", async (field, sent) => {
    for (const body of sent) expect(await fieldOf(licenses.createLicenses, { ...who, ...body })).toBe(field);
  });

  test("__proto__ is refused like an unknown field, and metadata of thousands of levels is refused unread", async () => {
    const sent = '{"customer_email":"a@b.c","__proto__":{"is_lifetime":true}}';
    for (const route of [licenses.createLicenses, licenses.updateLicense])
      expect(await fieldOf(route, sent)).toBe("__proto__");
    const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    const tooDeep = `{"customer_email":"a@b.c","metadata":${deep}}`;
    expect(await fieldOf(licenses.createLicenses, tooDeep)).not.toBeNull();
  });

  test("ten thousand invalid licenses are refused with a short list, and ten thousand valid ones are accepted", async () => {
    const errors = await errorsOf(licenses.createLicenses, { licenses: Array(10_000).fill(5) });
    expect(errors?.[0]?.field).toBe("licenses.0");
    expect(JSON.stringify(errors).length).toBeLessThan(20_000);
    for (const most of [{ licenses: Array(10_000).fill(who) }, { ...who, count: 10_000 }])
      expect(await errorsOf(licenses.createLicenses, most)).toBeNull();
  });
});

const bodies: [route: Route, field: string, sent: unknown[]][] = [
  [licenses.updateLicense, "body", [[{ notes: "x" }], null]],
  [licenses.updateLicense, "license_key", [{ license_key: "x" }]],
  [actions.rotateLicenseKey, "license_key", [{ license_key: "\ud800" }, { license_key: null }]],
  [actions.revokeLicense, "reason", [{ reason: "" }, { reason: "a\u0000" }, { reason: "r".repeat(501) }]],
  [actions.renewLicense, "extend_by_seconds", [0, -1, 1e300].map((by) => ({ extend_by_seconds: by }))],
  [actions.addLicenseIp, "ip", [{ ip: "\u0000" }, { ip: 16_909_060 }]],
];
test.each(bodies.map(([route, ...row]) => [route.id, ...row, route] as const))(
  "%s refuses an invalid %s",
  async (_, field, sent, route) => {
    for (const body of sent) expect(await fieldOf(route, body)).toBe(field);
  },
);

const orders: [field: string, orders: object[]][] = [
  ["action", [{ action: "explode" }]],
  ["extend_by_seconds", [0, 3_155_760_001].map((by) => ({ action: "extend", extend_by_seconds: by }))],
  ["expires_at", [{ action: "set_expiry" }]],
  ["max_ips", [{ action: "set_max_ips", max_ips: 0 }]],
  ["tags", [{ action: "add_tags", tags: [] }]],
  ["selection", [undefined, {}, "all", { ids: ["x"], filter: {} }].map((selection) => ({ selection }))],
  ["selection.ids", [{ selection: { ids: [] } }, { selection: { ids: Array(10_001).fill("x") } }]],
  ["selection.filter.q", ["ab", "abc\u0000"].map((q) => ({ selection: { filter: { q } } }))],
  ["selection.filter.min_ips", [{ selection: { filter: { min_ips: "1" } } }]],
];
test.each(orders)("a bulk change refuses an invalid %s", async (field, sent) => {
  const order = { action: "revoke", selection: { ids: ["x"] } };
  for (const one of sent) expect(await fieldOf(actions.bulkLicenses, { ...order, ...one })).toBe(field);
});

const queries: [field: string, values: string[]][] = [
  ["limit", ["0", "201", "ten", ""]],
  ["q", ["ab", "  ab ", "abc\u0000", "x".repeat(101)]],
  ["tag", [""]],
  ["status", ["gone"]],
  ["sort", ["license_key"]],
  ["never_used", ["1", "yes"]],
  ["min_ips", ["-1", "none", "1e300"]],
  ["expires_within_days", ["1.5", "-1"]],
  ["customer_id", [""]],
];
test.each(queries)("both lists of licenses refuse an invalid %s", (field, values) => {
  const named = expect.objectContaining({
    errors: expect.arrayContaining([expect.objectContaining({ field })]),
  });
  for (const route of [licenses.listLicenses, licenses.listProductLicenses])
    for (const value of values)
      expect(() => readQuery(route, new URLSearchParams({ [field]: value }))).toThrow(named);
});

test("identical licenses are checked once, however many there are", () => {
  let looked = 0;
  const get = () => {
    looked += 1;
    return "pro";
  };
  const override = Object.defineProperty({}, "plan", { enumerable: true, get });
  const input = { customer_email: "ada@example.com", custom_override: override };
  const drafts = readDrafts(Array(1_000).fill(input), () => "", { product, timeZone: "UTC", nowMs: 0 });
  expect(drafts).toHaveLength(1_000);
  expect(drafts[999]?.customOverride).toBe('{"plan":"pro"}');
  expect(looked).toBeLessThan(5);
});
