import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { on } from "../support/databases.ts";
import {
  csv,
  csvFile,
  exported,
  finishedImport,
  importFile,
  jsonLines,
  newProduct,
} from "../support/license-files.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

setDefaultTimeout(60_000);

let fixture: ManageFixture;

const path = (productId: string, query = "") => `/products/${productId}/licenses/import${query}`;
const columnsOf = (map: object) => `columns=${encodeURIComponent(JSON.stringify(map))}`;
const errorsOf = (job: { errors: { row: number; field: string }[] }) =>
  job.errors.map(({ row, field }) => `${row} ${field}`);

async function importsOf(productId: string): Promise<{ id: string; created_at: string }[]> {
  return (await fixture.owner.api.get(`/products/${productId}/imports`)).body.data;
}

async function piecesOf(importId: string) {
  const pieces = fixture.store.reads.selectFrom("import_pieces").select("number");
  return pieces.where("import_id", "=", importId).execute();
}

describe.each(on("sqlite"))("files that are imported on $kind", ({ make }) => {
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const send = (file: string | Blob, query = "", type: Record<string, string> = csv) =>
    fixture.owner.api.send("POST", path(fixture.productId, query), file, type);

  test("keys and times are stored as given, and the keys are valid immediately", async () => {
    const header = ["license_key", "customer_email", "created_at", "expires_at", "revoked_at"];
    const file = csvFile(
      [...header, "revoked_reason", "first_used_at"],
      [
        "old Key-1",
        "ada@example.com",
        "2020-01-02T03:04:05Z",
        "2099-01-01",
        null,
        null,
        "2020-02-01T00:00:00+02:00",
      ],
      [
        "old-key-2",
        "ada@example.com",
        "2021-01-02T03:04:05.678Z",
        null,
        "2022-01-01T00:00:00Z",
        "refunded",
        null,
      ],
      [null, "grace@example.com", null, null, null, null, null],
    );
    const job = await importFile(fixture, file);
    const counts = { created: 3, failed: 0, rows_total: 3, rows_done: 3 };
    expect(job).toMatchObject({ state: "finished", ...counts, errors: [] });
    const licenses = await exported(fixture, fixture.productId);
    expect(licenses.get("old Key-1")).toMatchObject({
      created_at: "2020-01-02T03:04:05.000Z",
      expires_at: "2099-01-01T23:59:59.999Z",
      first_used_at: "2020-01-31T22:00:00.000Z",
      status: "active",
      is_lifetime: false,
    });
    expect(licenses.get("old-key-2")).toMatchObject({
      created_at: "2021-01-02T03:04:05.678Z",
      revoked_at: "2022-01-01T00:00:00.000Z",
      revoked_reason: "refunded",
      status: "revoked",
      is_lifetime: true,
    });
    const made = [...licenses.keys()].find((key) => !key.startsWith("old")) ?? "";
    expect(made).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    expect((await fixture.publicApi.validate({ license_key: "OLD KEY-1" })).body.status).toBe("active");
  });

  test("every field is read, both from CSV and from JSON Lines", async () => {
    const record = {
      license_key: "FULL-1",
      customer_email: "Ada@Example.com",
      customer_name: "Ada, the first",
      customer_discord_id: "80351110224678912",
      is_lifetime: false,
      term_seconds: 86_400,
      ip_system_enabled: true,
      max_ips: 5,
      ips: ["203.0.113.7", "2001:db8::1"],
      notes: 'said "hello"\nand left',
      version_pin_mode: "range",
      version_range_min: "1.0.0",
      version_range_max: "2.0.0",
      custom_override: { seats: 3 },
      metadata: { order: "A-1" },
      tags: ["b;c", "a"],
    };
    const cells = Object.values(record).map((value) =>
      typeof value === "object" ? JSON.stringify(value) : String(value),
    );
    for (const [file, type] of [
      [csvFile(Object.keys(record), cells), csv],
      [`${JSON.stringify(record)}\n`, jsonLines],
    ] as const) {
      const productId = await newProduct(fixture);
      await importFile(fixture, file, "", { productId, type });
      expect((await exported(fixture, productId)).get("FULL-1")).toMatchObject({
        ...record,
        ips: ["2001:db8::/64", "203.0.113.7"],
        tags: ["a", "b;c"],
        expires_at: null,
        current_unique_ip_count: 2,
      });
    }
  });

  test("a column map renames columns, and null ignores one", async () => {
    const productId = await newProduct(fixture);
    const file = csvFile(["Serial", "E-Mail", "Phone"], ["MAP-1", "ada@example.com", "+49 30"]);
    const query = `?${columnsOf({ Serial: "license_key", "E-Mail": "customer_email", Phone: null })}`;
    await importFile(fixture, file, query, { productId });
    const members = JSON.stringify({ Serial: "MAP-2", "E-Mail": "ada@example.com", Phone: 1 });
    await importFile(fixture, members, query, { productId, type: jsonLines });
    expect([...(await exported(fixture, productId)).keys()].sort()).toEqual(["MAP-1", "MAP-2"]);
  });

  const latin = new Blob([new Uint8Array([...Buffer.from("notes\n"), 0xc3, 0x28])]);
  const noColumn = "license_key,customer_mail\nA,a@example.com\n";
  test.each([
    ["an unknown column", noColumn, { code: "unknown_column", params: { column: "customer_mail" } }],
    ["a column twice", "notes,notes\n", { code: "duplicate_column", params: { name: "notes" } }],
    ["no content", "", { code: "file_empty", params: {} }],
    ["only ignored columns", "id,updated_at\n1,2\n", { code: "no_known_column", params: {} }],
    ["an unclosed quote", 'license_key\n"A\n', { code: "quote_not_closed", params: { row: 2 } }],
    ["text after a quote", 'notes\n"A"B\n', { code: "text_after_quote", params: { row: 2, column: 1 } }],
    ["a NUL character", "license_key\nA\0\n", { code: "file_has_nul", params: {} }],
    ["bytes that are not UTF-8", latin, { code: "file_not_utf8" }],
  ])("a file with %s is refused immediately and creates no import", async (_, file, error) => {
    const before = await importsOf(fixture.productId);
    const { status, body } = await send(file);
    expect({ status, errors: body.errors }).toMatchObject({
      status: 422,
      errors: [{ field: "body", ...error }],
    });
    expect(await importsOf(fixture.productId)).toEqual(before);
  });

  test("a file of another type or with an invalid map is refused", async () => {
    expect((await send("{}", "", { "content-type": "application/json" })).status).toBe(415);
    const map = await send("A\n1\n", `?${columnsOf({ A: "price" })}`);
    expect(map.body.errors[0]).toMatchObject({ field: "columns", code: "invalid_column_map" });
    const named = await send("notes\n1\n", `?${columnsOf({ Key: "license_key" })}`);
    const params = { column: "Key", found: "notes" };
    expect(named.body.errors[0]).toMatchObject({ code: "column_not_in_file", params });
  });

  test("a byte order mark, semicolons, LF line endings and a missing last line break are accepted", async () => {
    const productId = await newProduct(fixture);
    const file = '\ufefflicense_key;customer_email;notes\nBOM-1;a@example.com;"x;y"\n\nBOM-2;b@example.com;';
    expect(await importFile(fixture, file, "", { productId })).toMatchObject({ created: 2, failed: 0 });
    expect((await exported(fixture, productId)).get("BOM-1")).toMatchObject({ notes: "x;y" });
  });

  const wrongHeader = ["license_key", "customer_email", "customer_discord_id", "max_ips", "expires_at"];
  const wrongRows = csvFile(
    [...wrongHeader, "ips", "metadata", "tags"],
    ["GOOD-1", "a@example.com", null, 3, null, null, null, null],
    ["BAD-2", null, null, null, null, null, null, null],
    ["BAD-3", "nobody", "12ab", 0, "2031-02-30", "10.0.0.300", "[1]", "x".repeat(60)],
    ["good-1", "a@example.com", null, null, null, null, null, null],
    ["k".repeat(65), "a@example.com", null, null, null, null, null, null],
    ["BAD-7", "a@example.com", null, 1, null, "10.0.0.1;10.0.0.2", null, null],
  );
  const wrongIn4 = [
    "customer_email",
    "customer_discord_id",
    "expires_at",
    "max_ips",
    "ips",
    "metadata",
    "tags.0",
  ];
  const expectedErrors = [
    "3 customer_email",
    ...wrongIn4.map((field) => `4 ${field}`),
    "5 license_key",
    "6 license_key",
    "7 ips",
  ];

  test("all_or_nothing names errors by row and field and writes nothing", async () => {
    const productId = await newProduct(fixture);
    const job = await importFile(fixture, wrongRows, "", { productId });
    expect(job).toMatchObject({ state: "failed", created: 0, failed: 5, rows_total: 6 });
    expect(job.failure).toEqual({
      code: "import_rows_invalid",
      params: { count: 5, rows: 6 },
      message: "5 of 6 rows are invalid, so nothing was imported.",
    });
    expect(errorsOf(job)).toEqual(expectedErrors);
    const errors = job.errors as { field: string; message: string }[];
    expect(errors.every(({ field, message }) => message.startsWith(field))).toBe(true);
    expect((await exported(fixture, productId)).size).toBe(0);
  });

  test("row_by_row writes the valid rows and names the others; a dry run reports the same and writes nothing", async () => {
    const productId = await newProduct(fixture);
    const dry = await importFile(fixture, wrongRows, "?mode=row_by_row&dry_run=true", { productId });
    expect(dry).toMatchObject({ state: "finished", dry_run: true, created: 1, failed: 5 });
    expect(await piecesOf(dry.id)).toEqual([]);
    expect((await exported(fixture, productId)).size).toBe(0);
    const job = await importFile(fixture, wrongRows, "?mode=row_by_row", { productId });
    expect(job).toMatchObject({ state: "finished", created: 1, failed: 5, error_count: 11, failure: null });
    for (const each of [dry, job]) expect(errorsOf(each)).toEqual(expectedErrors);
    expect([...(await exported(fixture, productId)).keys()]).toEqual(["GOOD-1"]);
  });

  test("JSON Lines errors are named by line: non-objects, unknown members and wrong types", async () => {
    const lines = [
      '{"license_key":"J-1","customer_email":"a@example.com"}',
      "not json",
      "[1]",
      '{"licence_key":"J-4"}',
      '{"customer_discord_id":80351110224678912}',
      "",
      '{"customer_email":"a@example.com","notes":"a\\u0000b"}',
    ].join("\n");
    const job = await importFile(fixture, lines, "?mode=row_by_row", { type: jsonLines });
    expect(errorsOf(job)).toEqual(["2 row", "3 row", "4 licence_key", "5 customer_discord_id", "7 notes"]);
    expect(job.created).toBe(1);
  });

  test("the first thousand errors are stored and all are counted", async () => {
    const rows = Array.from({ length: 1_100 }, () => ["x"]);
    const job = await importFile(fixture, csvFile(["customer_email"], ...rows), "?dry_run=true");
    expect(job.errors).toHaveLength(1_000);
    expect(job).toMatchObject({ error_count: 1_100, failed: 1_100 });
  });

  test("a huge cell is an error of its row, and a row without end fails the import", async () => {
    const file = csvFile(["customer_email", "notes"], ["a@example.com", "n".repeat(300_000)]);
    expect(errorsOf(await importFile(fixture, file, "?dry_run=true"))).toEqual(["2 notes"]);
    const endless = await importFile(fixture, `notes\n"${"n".repeat(2_000_000)}`);
    expect(endless).toMatchObject({ state: "failed", created: 0 });
    expect(endless.failure).toMatchObject({
      code: "import_file_invalid",
      params: { error: { field: "file", code: "row_too_long", params: { row: 2 } } },
    });
  });
});

describe.each(on("sqlite"))("imports on $kind", ({ make }) => {
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const oneRow = csvFile(["customer_email"], ["a@example.com"]);

  /** What is written in each case: packages/store/queries/license-files/write-rows.test.ts. */
  test("an existing key fails the import, is skipped or is updated, as requested", async () => {
    const productId = await newProduct(fixture);
    const header = ["license_key", "customer_email", "notes", "max_ips", "ips"];
    const first = csvFile(header, ["Same-1", "ada@example.com", "before", 3, "10.0.0.1"]);
    await importFile(fixture, first, "", { productId });
    const second = csvFile(
      ["license_key", "customer_email", "notes"],
      ["same-1", "grace@example.com", "after"],
      ["Fresh", "grace@example.com", null],
    );
    const failed = await importFile(fixture, second, "", { productId });
    expect([failed.state, ...errorsOf(failed)]).toEqual(["failed", "2 license_key"]);
    const skipped = await importFile(fixture, second, "?on_existing=skip", { productId });
    expect(skipped).toMatchObject({ created: 1, skipped: 1 });
    const notes = async () => (await exported(fixture, productId)).get("Same-1")?.notes;
    expect(await notes()).toBe("before");
    const updated = await importFile(fixture, second, "?on_existing=update", { productId });
    expect(updated).toMatchObject({ created: 0, updated: 2 });
    expect((await exported(fixture, productId)).get("Same-1")).toMatchObject({
      ...{ customer_email: "grace@example.com", notes: "after", max_ips: 3, ips: ["10.0.0.1"] },
    });
  });

  test("thousands of rows are imported completely, and once when repeated with skip", async () => {
    const productId = await newProduct(fixture);
    const count = 3_000;
    const rows = Array.from({ length: count }, (_, number) => [
      `BULK-${number}`,
      `c${number % 700}@example.com`,
      number % 3 === 0 ? "every;third" : null,
    ]);
    const file = csvFile(["license_key", "customer_email", "tags"], ...rows);
    expect(await importFile(fixture, file, "", { productId })).toMatchObject({
      created: count,
      rows_total: count,
    });
    const again = await importFile(fixture, file, "?on_existing=skip&mode=row_by_row", { productId });
    expect(again).toMatchObject({ created: 0, skipped: count });
    expect((await exported(fixture, productId)).size).toBe(count);
  });

  test("the product's defaults apply to columns that the file does not have", async () => {
    const productId = await newProduct(fixture, {
      default_max_ips: 7,
      default_expires_in_days: 10,
      default_ip_system_enabled: false,
    });
    await importFile(fixture, oneRow, "", { productId });
    const [license] = (await exported(fixture, productId)).values();
    expect(license).toMatchObject({ ip_system_enabled: false, max_ips: 7, is_lifetime: false });
    const days = (Date.parse(String(license?.expires_at)) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(10, 1);
  });

  test("an imported customer is invisible to other organizations", async () => {
    const otherUser = await fixture.person();
    const theirs = (await otherUser.api.post("/organizations", { name: "Other" })).body.id;
    await importFile(fixture, csvFile(["customer_email", "customer_name"], ["shared@example.com", "Secret"]));
    expect((await otherUser.api.get(`/organizations/${theirs}/customers`)).body.data).toEqual([]);
  });

  test("server-owned columns have no effect", async () => {
    const productId = await newProduct(fixture);
    const owned = ["id", "organization_id", "product_id", "updated_at", "current_unique_ip_count"];
    const file = csvFile(
      [...owned, "license_key", "customer_email"],
      ["chosen", "other", "other", "2001-01-01", 99, "OWN-1", "a@example.com"],
    );
    await importFile(fixture, file, "", { productId });
    const license = (await exported(fixture, productId)).get("OWN-1");
    const { organizationId } = fixture;
    expect(license).toMatchObject({
      ...{ product_id: productId, organization_id: organizationId, current_unique_ip_count: 0 },
    });
    expect(license?.id).not.toBe("chosen");
  });

  test("importing needs licenses:import, and outsiders get 404", async () => {
    const member = await fixture.member(["licenses:create", "licenses:view", "licenses:export"]);
    const outsider = await fixture.person();
    const job = await importFile(fixture, oneRow, "?dry_run=true");
    const list = `/products/${fixture.productId}/imports`;
    const statuses = async ({ api }: Pick<typeof member, "api">) => [
      (await api.send("POST", path(fixture.productId), oneRow, csv)).status,
      (await api.get(`${list}/${job.id}`)).status,
      (await api.get(list)).status,
    ];
    expect(await statuses(member)).toEqual([403, 403, 403]);
    expect(await statuses(outsider)).toEqual([404, 404, 404]);
    expect(await statuses({ api: fixture.anonymous })).toEqual([401, 401, 401]);
    expect(await statuses(await fixture.member(["licenses:import"]))).toEqual([202, 200, 200]);
    const other = await newProduct(fixture);
    expect((await fixture.owner.api.get(`/products/${other}/imports/${job.id}`)).status).toBe(404);
  });

  test.each<[string, Permission[], number, string | undefined]>([
    ["update", ["licenses:revoke"], 403, "licenses:update"],
    ["update", ["licenses:update"], 403, "licenses:revoke"],
    ["update", ["licenses:update", "licenses:revoke"], 202, undefined],
    ["skip", [], 202, undefined],
  ])(
    "to %s existing licenses with %j beside licenses:import gets %i",
    async (what, more, status, missing) => {
      const { api } = await fixture.member(["licenses:import", ...more]);
      const query = `?on_existing=${what}`;
      const answer = await api.send(
        "POST",
        path(fixture.productId, query),
        "license_key,customer_email\n",
        csv,
      );
      expect([answer.status, answer.body.params?.permission]).toEqual([status, missing]);
    },
  );

  test("imports are paginated, newest first", async () => {
    const productId = await newProduct(fixture);
    const ids: string[] = [];
    for (let count = 0; count < 3; count++)
      ids.unshift((await importFile(fixture, oneRow, "?dry_run=true", { productId })).id);
    const list = `/products/${productId}/imports?limit=2`;
    const first = (await fixture.owner.api.get(list)).body;
    const second = (await fixture.owner.api.get(`${list}&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
  });

  test("a repeated request with the same Idempotency-Key imports once, and with another file is refused", async () => {
    const productId = await newProduct(fixture);
    // The file needs more than one stored piece.
    const note = "n".repeat(1_000);
    const file = (count: number) =>
      csvFile(
        ["customer_email", "notes"],
        ...Array.from({ length: count }, (_, row) => [`m${row}@example.com`, note]),
      );
    const headers = { ...csv, "idempotency-key": crypto.randomUUID() };
    const send = (body: string, more = {}) =>
      fixture.owner.api.send("POST", path(productId), body, { ...headers, ...more });
    const first = await send(file(600));
    expect(first.status).toBe(202);
    const lines = `{"customer_email":"a@example.com"}\n`;
    for (const refused of [await send(file(599)), await send(file(1)), await send(lines, jsonLines)]) {
      expect(refused.status).toBe(409);
      expect(refused.body.code).toBe("idempotency_key_reused");
    }
    const again = await send(file(600));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(await importsOf(productId)).toHaveLength(1);
    await finishedImport(fixture, first.body.id, productId);
    expect(await piecesOf(first.body.id)).toEqual([]);
  });

  test("the audit log records who started the import and its result", async () => {
    const job = await importFile(fixture, oneRow);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", job.id)
      .orderBy("at")
      .orderBy("id")
      .execute();
    const actor = { actor_kind: "person", actor_id: fixture.owner.userId };
    const { organizationId: organization_id, productId: product_id } = fixture;
    expect(rows).toMatchObject([
      { action: "import.started", ...actor, organization_id },
      { action: "import.finished", ...actor, organization_id },
    ]);
    expect(JSON.parse(rows[1]?.after ?? "")).toMatchObject({ created: 1, failed: 0, product_id });
  });
});
