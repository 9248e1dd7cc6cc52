import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CsvReader } from "@countersign/domain/csv/reader";
import { databases } from "../support/databases.ts";
import { csv, csvFile, exported, importFile, jsonLines, newProduct } from "../support/license-files.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

describe.each(databases)("exporting licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let productId: string;
  const base = () => `/organizations/${fixture.organizationId}/licenses/export`;

  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    productId = await newProduct(fixture, { name: "=cmd()" });
    const lines = hostile.map((license) => JSON.stringify(license)).join("\n");
    const job = await importFile(fixture, lines, "", { productId, type: jsonLines });
    expect(job).toMatchObject({ state: "finished", created: hostile.length });
  }, 60_000);
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

  test.each(["csv", "jsonl"])("an export as %s imports again with every field unchanged", async (format) => {
    const file = (await fixture.owner.api.get(`${base()}?format=${format}&product_id=${productId}`)).text;
    const copy = await newProduct(fixture);
    const type = format === "csv" ? csv : jsonLines;
    const job = await importFile(fixture, file, "", { productId: copy, type });
    expect(job).toMatchObject({ state: "finished", created: hostile.length, failed: 0 });
    const before = await exported(fixture, productId);
    const after = await exported(fixture, copy);
    expect(after.size).toBe(hostile.length);
    for (const [key, license] of before) {
      const own = { id: "", product_id: "", product_name: "", updated_at: "" };
      expect({ ...after.get(key), ...own }).toEqual({ ...license, ...own });
    }
  });

  test("the filters are those of the list", async () => {
    const lines = async (query: string) => {
      const { text } = await fixture.owner.api.get(`${base()}?format=jsonl&product_id=${productId}&${query}`);
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line).license_key)
        .sort();
    };
    expect(await lines("status=revoked")).toEqual(["HOSTILE-3"]);
    expect(await lines("status=expired")).toEqual(["HOSTILE-2"]);
    expect(await lines("tag=vip")).toEqual(["=HOSTILE-1", "HOSTILE-2"]);
    expect(await lines("q=stile-3")).toEqual(["HOSTILE-3"]);
    expect((await fixture.owner.api.get(`${base()}?status=gone`)).body.errors[0].field).toBe("status");
  });

  test("another organization's product yields an empty file, like an unknown one", async () => {
    const otherUser = await fixture.person();
    const theirs = (await otherUser.api.post("/organizations", { name: "Other" })).body.id;
    const product = (await otherUser.api.post(`/organizations/${theirs}/products`, { name: "P" })).body.id;
    const file = csvFile(["license_key", "customer_email"], ["THEIRS", "a@example.com"]);
    await otherUser.api.send("POST", `/products/${product}/licenses/import`, file, csv);
    const { text } = await fixture.owner.api.get(`${base()}?format=jsonl&product_id=${product}`);
    expect(text).toBe("");
    expect((await otherUser.api.get(base())).status).toBe(404);
  });

  test("exporting needs licenses:export", async () => {
    const viewer = await fixture.member(["licenses:view", "licenses:import"]);
    expect((await viewer.api.get(base())).status).toBe(403);
    const exporter = await fixture.member(["licenses:export"]);
    expect((await exporter.api.get(base())).status).toBe(200);
    expect((await fixture.anonymous.get(base())).status).toBe(401);
  });

  test("the audit log records every export with its filters", async () => {
    await fixture.owner.api.get(`${base()}?format=jsonl&tag=vip`);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("organization_id", "=", fixture.organizationId)
      .where("action", "=", "licenses.exported")
      .orderBy("id", "desc")
      .limit(1)
      .execute();
    expect(rows[0]).toMatchObject({ actor_id: fixture.owner.userId, subject_id: fixture.organizationId });
    expect(JSON.parse(rows[0]?.after ?? "")).toEqual({ format: "jsonl", tag: "vip" });
  });

  test("an export of many pages contains each license once", async () => {
    const many = await newProduct(fixture);
    const rows = Array.from({ length: 3_300 }, (_, number) => [`PAGE-${number}`, "many@example.com"]);
    await importFile(fixture, csvFile(["license_key", "customer_email"], ...rows), "", { productId: many });
    const { text } = await fixture.owner.api.get(`${base()}?product_id=${many}`);
    expect(text.split("\r\n")).toHaveLength(3_302);
    expect((await exported(fixture, many)).size).toBe(3_300);
  }, 60_000);
});

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
