import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { CsvReader } from "@countersign/domain/csv/csv";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import { csv, importFile, jsonLines, newProduct } from "../support/license-files.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/** Text that breaks out of cells, lines and formulas, and a license in every state. */
const licenses = [
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
  {
    // More IP addresses than it allows, as after its limit was lowered.
    ...{ customer_email: "o'neil@example.com", max_ips: 1, ips: ["198.51.100.1", "2001:db8:0:9::/64"] },
    ips_registered_at: ["2020-02-29T23:59:59.999Z", "2020-01-01T00:00:00.000Z"],
    ...{ metadata: {}, custom_override: { gone: null }, tags: [";", "[", "'"], version_range_min: "1.0" },
  },
  {
    ...{ customer_email: "o'neil@example.com", max_ips: 1_000_000, expires_at: "9999-12-31T23:59:59.000Z" },
    ...{ status: "revoked", metadata: { "": 1.5 }, custom_override: {}, version_range_max: "2.1.0.4" },
  },
];

testsOn("sqlite", "exporting licenses", openManageFixture, (fixture) => {
  const count = licenses.length;
  beforeAll(async () => {
    await fixture.owner.api.patch(`/products/${fixture.productId}`, { name: "=cmd()" });
    const lines = licenses.map((license) => JSON.stringify(license)).join("\n");
    const job = await importFile(fixture, lines, "", { type: jsonLines });
    expect(job).toMatchObject({ state: "finished", created: count });
  });

  const base = (organizationId = fixture.organizationId) =>
    `/organizations/${organizationId}/licenses/export`;
  const exportOf = async (format: string, organizationId?: string) =>
    (await fixture.owner.api.get(`${base(organizationId)}?format=${format}`)).text;
  const keysOf = async (query: string) => {
    const { text } = await fixture.owner.api.get(`${base()}?format=jsonl&${query}`);
    return text.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line).license_key));
  };

  test("an exported CSV file is an attachment with a file name and a header, and no cell starts a formula", async () => {
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

  test("the filters of an export are those of the list, and the audit log has every export with its filters", async () => {
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

  test("an export of many pages of licenses contains each of them once", async () => {
    const productId = await newProduct(fixture);
    const common = { organizationId: fixture.organizationId, productId, customerId: null };
    const many = Array.from({ length: 1_100 }, (_, at) => ({ ...common, id: newId(), key: `PAGE-${at}` }));
    await fixture.store.transaction((db) => createLicenses(db, many, Date.now()));
    const { text } = await fixture.owner.api.get(`${base()}?product_id=${productId}`);
    const lines = text.trimEnd().split("\r\n");
    expect([lines.length, new Set(lines).size]).toEqual([1_101, 1_101]);
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
