import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CsvReader } from "@countersign/domain/csv/reader";
import { databases } from "../support/databases.ts";
import { csv, importFile, jsonLines } from "../support/license-files.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

const count = 120;
/** Fields that differ between a license and its copy. */
const own = new Set([
  "global_customer_id",
  "id",
  "organization_id",
  "product_id",
  "product_name",
  "updated_at",
]);

describe.each(databases)("exported and imported licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    await makeVariedLicenses(fixture);
  }, 120_000);
  afterAll(() => fixture.close());

  const exportOf = async (format: string, organizationId = fixture.organizationId) =>
    (await fixture.owner.api.get(`/organizations/${organizationId}/licenses/export?format=${format}`)).text;

  test.each(["csv", "jsonl"])(
    "are identical in another organization, as %s",
    async (format) => {
      const file = await exportOf(format);
      const { body: other } = await fixture.owner.api.post("/organizations", { name: `Other ${format}` });
      const { body: product } = await fixture.owner.api.post(`/organizations/${other.id}/products`, {
        name: "Elsewhere",
      });
      const type = format === "csv" ? csv : jsonLines;
      const job = await importFile(fixture, file, "", { productId: product.id, type });
      expect(job.errors).toEqual([]);
      expect(job).toMatchObject({ state: "finished", created: count });
      expect(comparable(await exportOf(format, other.id), format)).toEqual(comparable(file, format));
    },
    60_000,
  );

  test.each(["csv", "jsonl"])(
    "are identical after deletion and after overwriting, as %s",
    async (format) => {
      const file = await exportOf(format);
      const type = format === "csv" ? csv : jsonLines;
      const path = `/organizations/${fixture.organizationId}/licenses/bulk`;
      const all = { filter: { product_id: fixture.productId } };
      await fixture.owner.api.post(path, { action: "delete", selection: all });
      expect(await importFile(fixture, file, "", { type })).toMatchObject({ created: count });
      expect(comparable(await exportOf(format), format)).toEqual(comparable(file, format));

      await fixture.owner.api.post(path, { action: "reset_ips", selection: all });
      await fixture.owner.api.post(path, { action: "set_max_ips", selection: all, max_ips: 77 });
      await fixture.owner.api.post(path, { action: "set_expiry", selection: all, expires_at: null });
      const job = await importFile(fixture, file, "?on_existing=update", { type });
      expect(job).toMatchObject({ state: "finished", updated: count });
      expect(comparable(await exportOf(format), format)).toEqual(comparable(file, format));
    },
    60_000,
  );
});

/** The rows of the file without the fields that always differ, sorted. */
function comparable(file: string, format: string): string[] {
  if (format === "jsonl") {
    return file
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.stringify(JSON.parse(line), (name, value) => (own.has(name) ? undefined : value)))
      .sort();
  }
  const reader = new CsvReader();
  const [header = [], ...rows] = [...reader.read(file), ...reader.end()];
  return rows.map((row) => JSON.stringify(row.filter((_, index) => !own.has(header[index] ?? "")))).sort();
}

async function makeVariedLicenses(fixture: ManageFixture): Promise<void> {
  const { any, chance, text } = dice(20_260_101);
  const licenses = Array.from({ length: count }, (_, index) => ({
    ...(chance(0.5) ? { license_key: `${any(["", "=", "'", "@x "])}${text(12)}-${index}` } : {}),
    customer_email: `${any(["Ada", "zoë", "=1", "o'neil"])}${index % 40}@example.com`,
    ...(chance(0.3) ? { customer_discord_id: String(1_000 + (index % 40)) } : {}),
    ...(index < 40 && chance(0.5) ? { customer_name: text(20) } : {}),
    ...any<object>([
      {},
      { is_lifetime: true },
      { expires_at: "2020-02-29T23:59:59.999Z" },
      { expires_at: "9999-12-31T23:59:59.000Z" },
      { expires_in_seconds: 3_600 },
      { term_seconds: 3_155_760_000 },
      { term_seconds: 1_000 },
    ]),
    max_ips: any([1, 2, 5, 1_000_000]),
    ip_system_enabled: chance(0.6),
    ...(chance(0.7) ? { notes: text(200) } : {}),
    ...(chance(0.3) ? { metadata: { [text(5)]: [1.5, null, { [text(3)]: text(9) }], "": {} } } : {}),
    ...(chance(0.3) ? { custom_override: any<object>([{}, { plan: text(6), gone: null }]) } : {}),
    ...any<object>([
      {},
      { version_pin_mode: "pinned", version_pinned: "v1.2.3-rc.1+b" },
      { version_range_min: "1.0" },
      { version_range_max: "2.1.0.4" },
    ]),
    tags: Array.from({ length: any([0, 1, 3]) }, (_, index) => any([text(6), ";", "[x", "a,b"]) + index),
  }));
  const made = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, { licenses });
  expect(made.status, made.text.slice(0, 500)).toBe(201);
  for (const [index, { id, license_key: key }] of made.body.data.entries()) {
    const act = async (path: string, body: object = {}) => {
      const { status, text } = await fixture.owner.api.post(`/licenses/${id}/${path}`, body);
      expect([200, 201, 409], text).toContain(status);
    };
    if (index % 3 === 0) await fixture.publicApi.validate({ license_key: key });
    if (index % 4 === 0) await act("ips", { ip: `203.0.113.${index}` });
    if (index % 4 === 0) await act("ips", { ip: `2001:db8:0:${index}::1` });
    // Keeps the registered IP addresses and lowers the limit below their number.
    if (index % 8 === 0) await fixture.owner.api.patch(`/licenses/${id}`, { max_ips: 1 });
    if (index % 5 === 0) await act("revoke", index % 2 === 0 ? { reason: text(30) || "x" } : {});
    if (index % 7 === 0) await act("renew", { extend_by_seconds: 61 });
  }
}

/** Random values that are the same in every run. */
function dice(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const any = <T>(choices: readonly T[]): T => choices[Math.floor(next() * choices.length)] as T;
  const signs = [..."abcXYZ019 _-=+@'\",;[]{}\\/%é漢😀"];
  const text = (longest: number): string => {
    const inner = Array.from({ length: Math.floor(next() * longest) }, () => any(signs)).join("");
    return `${any(["t", "=", "'", "9"])}${inner}.`.slice(0, 90);
  };
  return { any, text, chance: (part: number) => next() < part };
}
