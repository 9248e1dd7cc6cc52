import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { CsvReader } from "@countersign/domain/csv/reader";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import fc from "fast-check";
import { csv, importFile, jsonLines, newProduct } from "../support/license-files.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const variedCount = 60;

/** Text that breaks out of cells, lines and formulas, and a license in every state. */
const hostile = [
  {
    ...{ license_key: "=HOSTILE-1", customer_email: "=a@example.com", customer_name: "@SUM(A1)" },
    ...{ customer_discord_id: "123456789012345678", tags: ["vip", "+1", "a;b", "[x"], max_ips: 4 },
    notes: '=HYPERLINK("http://evil.example","x")',
    metadata: { "=k": "=v", nested: { list: [1, "two", null] } },
    custom_override: { plan: "-pro" },
    ...{ ips: ["203.0.113.7", "2001:db8::1"], created_at: "2020-01-02T03:04:05.678Z" },
    ...{ first_used_at: "2021-01-02T03:04:05.006Z", expires_at: "2099-01-01T00:00:00.000Z" },
  },
  {
    ...{ license_key: "HOSTILE-2", customer_discord_id: "42", customer_name: "'=quoted", tags: ["vip"] },
    ...{ notes: 'line one\r\nline "two",\n\tthree', is_lifetime: false },
    ...{ expires_at: "2021-01-01T00:00:00.000Z", version_pin_mode: "pinned", version_pinned: "v1.2.3-rc.1" },
  },
  {
    ...{ license_key: "HOSTILE-3", customer_email: "zoë@example.com", customer_name: "Zoë 😀" },
    ...{ notes: "\t=1+1", is_lifetime: true, ip_system_enabled: false, revoked_reason: "-refunded" },
    ...{ revoked_at: "2022-02-02T02:02:02.002Z", version_range_min: "1.0.0", version_range_max: "2.0.0" },
  },
  { license_key: "HOSTILE-4", customer_email: "term@example.com", term_seconds: 3_600 },
  {
    ...{ license_key: "HOSTILE-5", customer_email: "used@example.com", term_seconds: 3_600 },
    ...{ first_used_at: "2090-01-01T00:00:00.000Z", expires_at: "2090-01-01T01:00:00.000Z" },
  },
];

testsOn("sqlite", "exporting licenses", openManageFixture, (fixture) => {
  const count = variedCount + hostile.length;
  beforeAll(async () => {
    await fixture.owner.api.patch(`/products/${fixture.productId}`, { name: "=cmd()" });
    await makeVariedLicenses(fixture);
    const lines = hostile.map((license) => JSON.stringify(license)).join("\n");
    const job = await importFile(fixture, lines, "", { type: jsonLines });
    expect(job).toMatchObject({ state: "finished", created: hostile.length });
  });

  const base = (organizationId = fixture.organizationId) =>
    `/organizations/${organizationId}/licenses/export`;
  const exportOf = async (format: string, organizationId?: string) =>
    (await fixture.owner.api.get(`${base(organizationId)}?format=${format}`)).text;
  const keysOf = async (query: string) => {
    const { text } = await fixture.owner.api.get(`${base()}?format=jsonl&${query}`);
    return text.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line).license_key));
  };

  test("a CSV file is an attachment with a file name and a header, and no cell starts a formula", async () => {
    const { headers, text } = await fixture.owner.api.get(base());
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
    expect(text).toContain(",'=cmd(),");
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
    for (const record of new CsvReader().read(text))
      for (const cell of record) expect(cell).not.toMatch(/^\s*[=+\-@]|^[\t\r]/);
  });

  test("the filters are those of the list, and the audit log has every export with its filters", async () => {
    const filters: [query: string, keys: string[]][] = [
      ["status=revoked&q=hostile", ["HOSTILE-3"]],
      ["status=expired&tag=vip", ["HOSTILE-2"]],
      ["tag=vip", ["=HOSTILE-1", "HOSTILE-2"]],
      ["q=stile-3", ["HOSTILE-3"]],
    ];
    for (const [query, keys] of filters) expect([query, (await keysOf(query)).sort()]).toEqual([query, keys]);
    expect(refusal(await fixture.owner.api.get(`${base()}?status=gone`))).toEqual([422, "status"]);
    const { userId, api } = await fixture.member(["licenses:export"]);
    await api.get(`${base()}?format=jsonl&tag=vip`);
    const [entry] = await fixture.stored("audit_log", { actor_id: userId });
    expect(entry).toMatchObject({ action: "licenses.exported", subject_id: fixture.organizationId });
    expect(JSON.parse(entry?.after ?? "")).toEqual({ format: "jsonl", tag: "vip" });
  });

  test.each(["csv", "jsonl"])(
    "exported and imported licenses are identical elsewhere, after deletion and after overwriting, as %s",
    async (format) => {
      const file = await exportOf(format);
      const type = format === "csv" ? csv : jsonLines;
      const { body: other } = await fixture.owner.api.post("/organizations", { name: `Other ${format}` });
      const products = `/organizations/${other.id}/products`;
      const { body: product } = await fixture.owner.api.post(products, { name: "Elsewhere" });
      const job = await importFile(fixture, file, "", { productId: product.id, type });
      expect(job).toMatchObject({ state: "finished", created: count, errors: [] });
      expect(comparable(await exportOf(format, other.id), format)).toEqual(comparable(file, format));

      const { bulk } = licensesOf(fixture);
      const selection = { filter: { product_id: fixture.productId } };
      await bulk({ action: "delete", selection });
      expect(await importFile(fixture, file, "", { type })).toMatchObject({ created: count });
      expect(comparable(await exportOf(format), format)).toEqual(comparable(file, format));

      await bulk({ action: "reset_ips", selection });
      await bulk({ action: "set_max_ips", selection, max_ips: 77 });
      await bulk({ action: "set_expiry", selection, expires_at: null });
      const overwriting = await importFile(fixture, file, "?on_existing=update", { type });
      expect(overwriting).toMatchObject({ state: "finished", updated: count });
      expect(comparable(await exportOf(format), format)).toEqual(comparable(file, format));
    },
  );

  test("an export of many pages contains each license once", async () => {
    const productId = await newProduct(fixture);
    const license = { organizationId: fixture.organizationId, productId, customerId: null };
    const licenses = Array.from({ length: 2_500 }, (_, at) => ({
      ...{ ...license, id: newId(), key: `PAGE-${at}` },
    }));
    await fixture.store.transaction((db) => createLicenses(db, licenses, Date.now()));
    const { text } = await fixture.owner.api.get(`${base()}?product_id=${productId}`);
    expect(text.split("\r\n")).toHaveLength(2_502);
    expect(new Set(await keysOf(`product_id=${productId}`)).size).toBe(2_500);
  });
});

/** Fields that differ between a license and its copy. */
const own = new Set([
  ...["id", "organization_id", "product_id", "product_name", "global_customer_id", "updated_at"],
]);

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

/** Text that starts and continues with characters that matter to a spreadsheet, a CSV reader or JSON. */
const text = (maxLength: number) => {
  const inner = fc.string({ unit: fc.constantFrom(..."abcXYZ019 _-=+@'\",;[]{}\\/%é漢😀"), maxLength });
  return fc.tuple(fc.constantFrom("t", "=", "'", "9"), inner).map(([start, rest]) => `${start}${rest}.`);
};
const someFields = fc.record(
  {
    license_key: fc.tuple(fc.constantFrom("", "=", "'", "@x "), text(12)).map((parts) => parts.join("")),
    max_ips: fc.constantFrom(1, 2, 5, 1_000_000),
    ip_system_enabled: fc.boolean(),
    notes: text(88),
    metadata: fc.dictionary(text(5), fc.constantFrom(1.5, null, {}, { "": "x" }, [1, ["=1"]])),
    custom_override: fc.constantFrom({}, { plan: "=pro", gone: null }),
    tags: fc.uniqueArray(fc.oneof(text(6), fc.constantFrom(";", "[x", "a,b")), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const expiries = fc.constantFrom<object[]>(
  {},
  { is_lifetime: true },
  { expires_at: "2020-02-29T23:59:59.999Z" },
  { expires_at: "9999-12-31T23:59:59.000Z" },
  { expires_in_seconds: 3_600 },
  { term_seconds: 3_155_760_000 },
  { term_seconds: 1_000 },
);
const versions = fc.constantFrom<object[]>(
  {},
  { version_pin_mode: "pinned", version_pinned: "v1.2.3-rc.1+b" },
  { version_range_min: "1.0" },
  { version_range_max: "2.1.0.4" },
);

async function makeVariedLicenses(fixture: ManageFixture): Promise<void> {
  const varied = fc.sample(fc.tuple(someFields, expiries, versions), {
    numRuns: variedCount,
    seed: 20_260_101,
  });
  const licenses = varied.map(([{ license_key: key, ...fields }, expiry, version], index) => ({
    ...fields,
    ...expiry,
    ...version,
    ...(key === undefined ? {} : { license_key: `${key}-${index}` }),
    customer_email: `${["Ada", "zoë", "=1", "o'neil"][index % 4]}${index % 40}@example.com`,
    ...(index % 40 < 12 ? { customer_discord_id: String(1_000 + (index % 40)) } : {}),
    ...(index < 20 ? { customer_name: `=${index}, "x"` } : {}),
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
    if (index % 5 === 0) await act("revoke", index % 2 === 0 ? { reason: `=reason ${index}` } : {});
    if (index % 7 === 0) await act("renew", { extend_by_seconds: 61 });
  }
}
