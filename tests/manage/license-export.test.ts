import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { CsvReader } from "@countersign/domain/csv/reader";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import { addLicense } from "../support/add-license.ts";
import { on } from "../support/databases.ts";
import { csv, importFile, jsonLines, newProduct } from "../support/license-files.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const variedCount = 60;

describe.each(on("sqlite"))("exporting licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let productId: string;
  const base = () => `/organizations/${fixture.organizationId}/licenses/export`;

  beforeAll(async () => {
    fixture = await openManageFixture(make);
    productId = await newProduct(fixture, { name: "=cmd()" });
    const lines = hostile.map((license) => JSON.stringify(license)).join("\n");
    const job = await importFile(fixture, lines, "", { productId, type: jsonLines });
    expect(job).toMatchObject({ state: "finished", created: hostile.length });
  });
  afterAll(() => fixture.close());

  test("a CSV file has a header, ends lines in CRLF and is an attachment with a file name", async () => {
    const { status, headers, text } = await fixture.owner.api.get(base());
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    const { body: organization } = await fixture.owner.api.get(`/organizations/${fixture.organizationId}`);
    expect(organization.slug).toStartWith("acme");
    expect(headers.get("content-disposition")?.replace(/\d{4}-\d\d-\d\d/, "DATE")).toBe(
      `attachment; filename="licenses-${organization.slug}-DATE.csv"`,
    );
    expect(text).toStartWith(
      "id,organization_id,product_id,product_name,global_customer_id,license_key,status,",
    );
    expect(text).toEndWith("\r\n");
  });

  test("no cell starts a formula", async () => {
    const { text } = await fixture.owner.api.get(base());
    expect(text).toContain(",'=cmd(),");
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
    expect(text).toContain(",'@SUM(A1),");
    for (const record of new CsvReader().read(text))
      for (const cell of record) expect(cell).not.toMatch(/^\s*[=+\-@]|^[\t\r]/);
  });

  const keysOf = async (query: string) => {
    const { text } = await fixture.owner.api.get(`${base()}?format=jsonl&${query}`);
    return text.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line).license_key));
  };

  test.each([
    ["status=revoked", ["HOSTILE-3"]],
    ["status=expired", ["HOSTILE-2"]],
    ["tag=vip", ["=HOSTILE-1", "HOSTILE-2"]],
    ["q=stile-3", ["HOSTILE-3"]],
  ])("the filter %s is that of the list", async (query, expected) => {
    expect((await keysOf(`product_id=${productId}&${query}`)).sort()).toEqual(expected);
  });

  test("an unknown filter is refused, and another organization's product yields an empty file", async () => {
    expect((await fixture.owner.api.get(`${base()}?status=gone`)).body.errors[0].field).toBe("status");
    const other = await fixture.person();
    const organizationId = (await other.api.post("/organizations", { name: "Other" })).body.id;
    const product = await other.api.post(`/organizations/${organizationId}/products`, { name: "P" });
    await addLicense({ store: fixture.store, organizationId, productId: product.body.id });
    expect(await keysOf(`product_id=${product.body.id}`)).toEqual([]);
    expect((await other.api.get(base())).status).toBe(404);
  });

  test("exporting needs licenses:export, and the audit log has every export with its filters", async () => {
    const viewer = await fixture.member(["licenses:view", "licenses:import"]);
    expect((await viewer.api.get(base())).status).toBe(403);
    const exporter = await fixture.member(["licenses:export"]);
    expect((await exporter.api.get(`${base()}?format=jsonl&tag=vip`)).status).toBe(200);
    expect((await fixture.anonymous.get(base())).status).toBe(401);
    const entry = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("actor_id", "=", exporter.userId)
      .where("action", "=", "licenses.exported")
      .executeTakeFirst();
    expect(entry).toMatchObject({ subject_id: fixture.organizationId });
    expect(JSON.parse(entry?.after ?? "")).toEqual({ format: "jsonl", tag: "vip" });
  });

  test("an export of many pages contains each license once", async () => {
    const many = await newProduct(fixture);
    const license = { organizationId: fixture.organizationId, productId: many, customerId: null };
    const licenses = Array.from({ length: 2_500 }, (_, at) => ({
      ...license,
      id: newId(),
      key: `PAGE-${at}`,
    }));
    await fixture.store.transaction((db) => createLicenses(db, licenses, Date.now()));
    const { text } = await fixture.owner.api.get(`${base()}?product_id=${many}`);
    expect(text.split("\r\n")).toHaveLength(2_502);
    expect(new Set(await keysOf(`product_id=${many}`)).size).toBe(2_500);
  });
});

/** Fields that differ between a license and its copy. */
const own = new Set([
  "global_customer_id",
  "id",
  "organization_id",
  "product_id",
  "product_name",
  "updated_at",
]);

describe.each(on("sqlite"))("exported and imported licenses on $kind", ({ make }) => {
  const count = variedCount + hostile.length;
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    await makeVariedLicenses(fixture);
    const lines = hostile.map((license) => JSON.stringify(license)).join("\n");
    await importFile(fixture, lines, "", { type: jsonLines });
  });
  afterAll(() => fixture.close());

  const exportOf = async (format: string, organizationId = fixture.organizationId) =>
    (await fixture.owner.api.get(`/organizations/${organizationId}/licenses/export?format=${format}`)).text;

  test.each(["csv", "jsonl"])("are identical in another organization, as %s", async (format) => {
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
  });

  test.each(["csv", "jsonl"])("are identical after deletion and after overwriting, as %s", async (format) => {
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
  });
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
  const licenses = Array.from({ length: variedCount }, (_, index) => ({
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

/** Text that breaks out of cells, lines and formulas, and a license in every state. */
const hostile = [
  {
    license_key: "=HOSTILE-1",
    customer_email: "=a@example.com",
    customer_name: "@SUM(A1)",
    customer_discord_id: "123456789012345678",
    notes: '=HYPERLINK("http://evil.example","x")',
    tags: ["vip", "+1", "a;b", "[x"],
    metadata: { "=k": "=v", nested: { list: [1, "two", null] } },
    custom_override: { plan: "-pro" },
    max_ips: 4,
    ips: ["203.0.113.7", "2001:db8::1"],
    created_at: "2020-01-02T03:04:05.678Z",
    first_used_at: "2021-01-02T03:04:05.006Z",
    expires_at: "2099-01-01T00:00:00.000Z",
  },
  {
    license_key: "HOSTILE-2",
    customer_discord_id: "42",
    customer_name: "'=quoted",
    notes: 'line one\r\nline "two",\n\tthree',
    tags: ["vip"],
    is_lifetime: false,
    expires_at: "2021-01-01T00:00:00.000Z",
    version_pin_mode: "pinned",
    version_pinned: "v1.2.3-rc.1",
  },
  {
    license_key: "HOSTILE-3",
    customer_email: "zoë@example.com",
    customer_name: "Zoë 😀",
    notes: "\t=1+1",
    is_lifetime: true,
    ip_system_enabled: false,
    revoked_at: "2022-02-02T02:02:02.002Z",
    revoked_reason: "-refunded",
    version_range_min: "1.0.0",
    version_range_max: "2.0.0",
  },
  { license_key: "HOSTILE-4", customer_email: "term@example.com", term_seconds: 3_600 },
  {
    license_key: "HOSTILE-5",
    customer_email: "used@example.com",
    term_seconds: 3_600,
    first_used_at: "2090-01-01T00:00:00.000Z",
    expires_at: "2090-01-01T01:00:00.000Z",
  },
];
