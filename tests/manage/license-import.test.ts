import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { databases } from "../support/databases.ts";
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

describe.each(databases)("importing licenses on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  }, 60_000);
  afterAll(() => fixture.close());

  const path = (productId: string, query = "") => `/products/${productId}/licenses/import${query}`;

  test("keys and times are stored as given, and the keys are valid immediately", async () => {
    const file = csvFile(
      [
        "license_key",
        "customer_email",
        "created_at",
        "expires_at",
        "revoked_at",
        "revoked_reason",
        "first_used_at",
      ],
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
    const productId = await newProduct(fixture);
    const job = await importFile(fixture, file, "", { productId });
    expect(job).toMatchObject({
      state: "finished",
      created: 3,
      failed: 0,
      rows_total: 3,
      rows_done: 3,
      errors: [],
    });
    const licenses = await exported(fixture, productId);
    expect(licenses.get("old Key-1")).toMatchObject({
      created_at: "2020-01-02T03:04:05.000Z",
      expires_at: "2099-01-01T23:59:59.999Z",
      first_used_at: "2020-01-31T22:00:00.000Z",
      status: "active",
      is_lifetime: false,
    });
    expect(licenses.get("old-key-2")).toMatchObject({
      revoked_at: "2022-01-01T00:00:00.000Z",
      revoked_reason: "refunded",
      status: "revoked",
      is_lifetime: true,
    });
    const made = [...licenses.keys()].find((key) => !key.startsWith("old")) ?? "";
    expect(made).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    await importFile(fixture, csvFile(["license_key", "customer_email"], ["Valid Now", "a@example.com"]));
    expect((await fixture.publicApi.validate({ license_key: "valid now" })).body.status).toBe("active");
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
    const inCsv = await newProduct(fixture);
    const inJson = await newProduct(fixture);
    await importFile(fixture, csvFile(Object.keys(record), cells), "", { productId: inCsv });
    await importFile(fixture, `${JSON.stringify(record)}\n`, "", { productId: inJson, type: jsonLines });
    for (const productId of [inCsv, inJson]) {
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
    const columns = encodeURIComponent(
      JSON.stringify({ Serial: "license_key", "E-Mail": "customer_email", Phone: null }),
    );
    expect((await importFile(fixture, file, `?columns=${columns}`, { productId })).created).toBe(1);
    expect([...(await exported(fixture, productId)).keys()]).toEqual(["MAP-1"]);
    const members = JSON.stringify({ Serial: "MAP-2", "E-Mail": "ada@example.com", Phone: 1 });
    await importFile(fixture, members, `?columns=${columns}`, { productId, type: jsonLines });
    expect((await exported(fixture, productId)).size).toBe(2);
  });

  test.each([
    [
      "an unknown column",
      "license_key,customer_mail\nA,a@example.com\n",
      { code: "unknown_column", params: { column: "customer_mail" } },
    ],
    ["a column twice", "notes,notes\n", { code: "duplicate_column", params: { name: "notes" } }],
    ["an empty file", "", { code: "file_empty", params: {} }],
    ["only ignored columns", "id,updated_at\n1,2\n", { code: "no_known_column", params: {} }],
    ["an unclosed quote", 'license_key\n"A\n', { code: "quote_not_closed", params: { row: 2 } }],
    [
      "text after a quote",
      'license_key\n"A"B\n',
      { code: "text_after_quote", params: { row: 2, column: 1 } },
    ],
    ["a NUL character", "license_key\nA\0\n", { code: "file_has_nul", params: {} }],
  ])("a file with %s is refused immediately and creates no import", async (_, file, error) => {
    const productId = await newProduct(fixture);
    const { status, body } = await fixture.owner.api.send("POST", path(productId), file, csv);
    expect({ status, errors: body.errors }).toMatchObject({
      status: 422,
      errors: [{ field: "body", ...error }],
    });
    expect((await fixture.owner.api.get(`/products/${productId}/imports`)).body.data).toEqual([]);
  });

  test("a file that is not UTF-8, of another type or with an invalid map is refused", async () => {
    const bytes = new Blob([new Uint8Array([...Buffer.from("notes\n"), 0xc3, 0x28])]);
    const latin = await fixture.owner.api.send("POST", path(fixture.productId), bytes, csv);
    expect(latin.body.errors[0].code).toBe("file_not_utf8");
    const typed = await fixture.owner.api.send("POST", path(fixture.productId), "{}", {
      "content-type": "application/json",
    });
    expect(typed.status).toBe(415);
    const map = await fixture.owner.api.send(
      "POST",
      path(fixture.productId, `?columns=${encodeURIComponent('{"A":"price"}')}`),
      "A\n1\n",
      csv,
    );
    expect(map.body.errors[0]).toMatchObject({ field: "columns", code: "invalid_column_map" });
    const named = await fixture.owner.api.send(
      "POST",
      path(fixture.productId, `?columns=${encodeURIComponent('{"Key":"license_key"}')}`),
      "notes\n1\n",
      csv,
    );
    expect(named.body.errors[0]).toMatchObject({
      code: "column_not_in_file",
      params: { column: "Key", found: "notes" },
    });
  });

  test("a byte order mark, semicolons, LF line endings and a missing last line break are accepted", async () => {
    const productId = await newProduct(fixture);
    const file = '\ufefflicense_key;customer_email;notes\nBOM-1;a@example.com;"x;y"\n\nBOM-2;b@example.com;';
    expect(await importFile(fixture, file, "", { productId })).toMatchObject({ created: 2, failed: 0 });
    expect((await exported(fixture, productId)).get("BOM-1")).toMatchObject({ notes: "x;y" });
  });

  const wrongRows = csvFile(
    [
      "license_key",
      "customer_email",
      "customer_discord_id",
      "max_ips",
      "expires_at",
      "ips",
      "metadata",
      "tags",
    ],
    ["GOOD-1", "a@example.com", null, 3, null, null, null, null],
    ["BAD-2", null, null, null, null, null, null, null],
    ["BAD-3", "nobody", "12ab", 0, "2031-02-30", "10.0.0.300", "[1]", "x".repeat(60)],
    ["good-1", "a@example.com", null, null, null, null, null, null],
    ["k".repeat(65), "a@example.com", null, null, null, null, null, null],
    ["BAD-7", "a@example.com", null, 1, null, "10.0.0.1;10.0.0.2", null, null],
  );

  const errorsOf = (job: { errors: { row: number; field: string }[] }) =>
    job.errors.map(({ row, field }) => `${row} ${field}`);

  const expectedErrors = [
    "3 customer_email",
    "4 customer_email",
    "4 customer_discord_id",
    "4 expires_at",
    "4 max_ips",
    "4 ips",
    "4 metadata",
    "4 tags.0",
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
    expect(
      job.errors.every((error: { field: string; message: string }) => error.message.startsWith(error.field)),
    ).toBe(true);
    expect((await exported(fixture, productId)).size).toBe(0);
  });

  test("row_by_row writes the valid rows and names the others", async () => {
    const productId = await newProduct(fixture);
    const job = await importFile(fixture, wrongRows, "?mode=row_by_row", { productId });
    expect(job).toMatchObject({ state: "finished", created: 1, failed: 5, error_count: 11, failure: null });
    expect(errorsOf(job)).toEqual(expectedErrors);
    expect([...(await exported(fixture, productId)).keys()]).toEqual(["GOOD-1"]);
  });

  test("a dry run reports the same and writes nothing", async () => {
    const productId = await newProduct(fixture);
    const job = await importFile(fixture, wrongRows, "?mode=row_by_row&dry_run=true", { productId });
    expect(job).toMatchObject({ state: "finished", dry_run: true, created: 1, failed: 5 });
    expect(errorsOf(job)).toEqual(expectedErrors);
    expect((await exported(fixture, productId)).size).toBe(0);
    expect(await fixture.store.reads.selectFrom("import_pieces").selectAll().execute()).toEqual([]);
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
    const rows = Array.from({ length: 1_500 }, () => ["x"]);
    const job = await importFile(fixture, csvFile(["customer_email"], ...rows), "?dry_run=true");
    expect(job.errors).toHaveLength(1_000);
    expect(job).toMatchObject({ error_count: 1_500, failed: 1_500 });
  });

  test("a huge cell is an error of its row", async () => {
    const file = csvFile(["customer_email", "notes"], ["a@example.com", "n".repeat(300_000)]);
    expect(errorsOf(await importFile(fixture, file, "?dry_run=true"))).toEqual(["2 notes"]);
    const endless = await importFile(fixture, `notes\n"${"n".repeat(2_000_000)}`);
    expect(endless).toMatchObject({ state: "failed", created: 0 });
    expect(endless.failure).toMatchObject({
      code: "import_file_invalid",
      params: { error: { field: "file", code: "row_too_long", params: { row: 2 } } },
    });
  });

  describe("existing keys", () => {
    const first = csvFile(
      ["license_key", "customer_email", "notes", "tags", "max_ips", "ips"],
      ["Same-1", "ada@example.com", "before", "old", 3, "10.0.0.1"],
      ["Same-2", "ada@example.com", "before", null, 3, null],
    );
    const second = csvFile(
      ["license_key", "customer_email", "notes", "tags"],
      ["same-1", "grace@example.com", "after", "new"],
      ["Fresh", "grace@example.com", null, null],
    );

    test("with fail refuse the import and name the row", async () => {
      const productId = await newProduct(fixture);
      await importFile(fixture, first, "", { productId });
      const job = await importFile(fixture, second, "", { productId });
      expect(job.state).toBe("failed");
      expect(errorsOf(job)).toEqual(["2 license_key"]);
      expect((await exported(fixture, productId)).size).toBe(2);
    });

    test("with skip stay unchanged", async () => {
      const productId = await newProduct(fixture);
      await importFile(fixture, first, "", { productId });
      expect(await importFile(fixture, second, "?on_existing=skip", { productId })).toMatchObject({
        created: 1,
        skipped: 1,
      });
      expect((await exported(fixture, productId)).get("Same-1")).toMatchObject({ notes: "before" });
    });

    test("with update get the values in the file and keep all others", async () => {
      const productId = await newProduct(fixture);
      await importFile(fixture, first, "", { productId });
      expect(await importFile(fixture, second, "?on_existing=update", { productId })).toMatchObject({
        created: 1,
        updated: 1,
      });
      expect((await exported(fixture, productId)).get("Same-1")).toMatchObject({
        customer_email: "grace@example.com",
        notes: "after",
        tags: ["new"],
        max_ips: 3,
        ips: ["10.0.0.1"],
      });
      const found = await fixture.owner.api.get(
        `/organizations/${fixture.organizationId}/licenses?q=grace&product_id=${productId}`,
      );
      expect(found.body.data).toHaveLength(2);
    });
  });

  test("twenty thousand rows are imported completely, and once when repeated with skip", async () => {
    const productId = await newProduct(fixture);
    const rows = Array.from({ length: 20_000 }, (_, number) => [
      `BULK-${number}`,
      `c${number % 7_000}@example.com`,
      number % 3 === 0 ? "every;third" : null,
    ]);
    const file = csvFile(["license_key", "customer_email", "tags"], ...rows);
    expect(await importFile(fixture, file, "", { productId })).toMatchObject({
      created: 20_000,
      rows_total: 20_000,
    });
    const again = await importFile(fixture, file, "?on_existing=skip&mode=row_by_row", { productId });
    expect(again).toMatchObject({ created: 0, skipped: 20_000 });
    const { count } = await fixture.store.reads
      .selectFrom("licenses")
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("product_id", "=", productId)
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(20_000);
    expect((await exported(fixture, productId)).size).toBe(20_000);
  }, 120_000);

  test("the product's defaults apply to columns that the file does not have", async () => {
    const productId = await newProduct(fixture, {
      default_max_ips: 7,
      default_expires_in_days: 10,
      default_ip_system_enabled: false,
    });
    await importFile(fixture, csvFile(["license_key", "customer_email"], ["D-1", "a@example.com"]), "", {
      productId,
    });
    const license = (await exported(fixture, productId)).get("D-1");
    expect(license).toMatchObject({ ip_system_enabled: false, max_ips: 7, is_lifetime: false });
    const days = (Date.parse(String(license?.expires_at)) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(10, 1);
  });

  test("an imported customer is invisible to other organizations", async () => {
    const otherUser = await fixture.person();
    const theirs = (await otherUser.api.post("/organizations", { name: "Other" })).body.id;
    await importFile(
      fixture,
      csvFile(["customer_email", "customer_name"], ["shared@example.com", "Secret Name"]),
    );
    const { body } = await otherUser.api.get(`/organizations/${theirs}/customers`);
    expect(body.data).toEqual([]);
  });

  test("server-owned columns have no effect", async () => {
    const productId = await newProduct(fixture);
    const file = csvFile(
      [
        "id",
        "organization_id",
        "product_id",
        "license_key",
        "customer_email",
        "updated_at",
        "current_unique_ip_count",
      ],
      ["chosen", "other", "other", "OWN-1", "a@example.com", "2001-01-01", 99],
    );
    await importFile(fixture, file, "", { productId });
    const license = (await exported(fixture, productId)).get("OWN-1");
    expect(license).toMatchObject({
      product_id: productId,
      organization_id: fixture.organizationId,
      current_unique_ip_count: 0,
    });
    expect(license?.id).not.toBe("chosen");
  });

  test("importing needs licenses:import, and outsiders get 404", async () => {
    const member = await fixture.member(["licenses:create", "licenses:view", "licenses:export"]);
    const outsider = await fixture.person();
    const file = csvFile(["customer_email"], ["a@example.com"]);
    const job = await importFile(fixture, file, "?dry_run=true");
    const one = `/products/${fixture.productId}/imports/${job.id}`;
    const list = `/products/${fixture.productId}/imports`;
    expect((await member.api.send("POST", path(fixture.productId), file, csv)).status).toBe(403);
    expect((await member.api.get(one)).status).toBe(403);
    expect((await member.api.get(list)).status).toBe(403);
    expect((await outsider.api.send("POST", path(fixture.productId), file, csv)).status).toBe(404);
    expect((await outsider.api.get(one)).status).toBe(404);
    expect((await fixture.anonymous.send("POST", path(fixture.productId), file, csv)).status).toBe(401);
    const other = await newProduct(fixture);
    expect((await fixture.owner.api.get(`/products/${other}/imports/${job.id}`)).status).toBe(404);
    const allowed = await fixture.member(["licenses:import"]);
    expect((await allowed.api.send("POST", path(fixture.productId), file, csv)).status).toBe(202);
  });

  test("updating existing licenses needs the permissions to update and revoke", async () => {
    const productId = await newProduct(fixture);
    const send = async (allowed: readonly Permission[], query: string) => {
      const { api } = await fixture.member(allowed);
      const answer = await api.send("POST", path(productId, query), "license_key,customer_email\n", {
        "content-type": "text/csv",
      });
      return [answer.status, answer.body.params];
    };
    const update = "?on_existing=update";
    expect(await send(["licenses:import", "licenses:revoke"], update)).toEqual([
      403,
      { permission: "licenses:update" },
    ]);
    expect(await send(["licenses:import", "licenses:update"], update)).toEqual([
      403,
      { permission: "licenses:revoke" },
    ]);
    expect((await send(["licenses:import", "licenses:update", "licenses:revoke"], update))[0]).toBe(202);
    expect((await send(["licenses:import"], "?on_existing=skip"))[0]).toBe(202);
  });

  test("imports are paginated, newest first", async () => {
    const productId = await newProduct(fixture);
    for (let count = 0; count < 3; count++)
      await importFile(fixture, csvFile(["customer_email"], ["a@example.com"]), "?dry_run=true", {
        productId,
      });
    const list = `/products/${productId}/imports?limit=2`;
    const first = (await fixture.owner.api.get(list)).body;
    const second = (await fixture.owner.api.get(`${list}&cursor=${first.next_cursor}`)).body;
    const times = [...first.data, ...second.data].map((job: { created_at: string }) => job.created_at);
    expect(times).toHaveLength(3);
    expect(times).toEqual([...times].sort().reverse());
    expect(second.next_cursor).toBeNull();
  });

  test("a repeated request with the same Idempotency-Key imports once", async () => {
    const productId = await newProduct(fixture);
    const file = csvFile(["customer_email"], ["a@example.com"]);
    const headers = { ...csv, "idempotency-key": crypto.randomUUID() };
    const answers = [];
    for (let count = 0; count < 2; count++)
      answers.push(await fixture.owner.api.send("POST", path(productId), file, headers));
    expect(answers[0]?.body.id).toBe(answers[1]?.body.id);
    expect((await fixture.owner.api.get(`/products/${productId}/imports`)).body.data).toHaveLength(1);
  });

  test("an Idempotency-Key with another file or content type is refused", async () => {
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
    const first = await send(file(700));
    expect(first.status).toBe(202);
    const lines = `{"customer_email":"a@example.com"}\n`;
    for (const refused of [await send(file(699)), await send(file(1)), await send(lines, jsonLines)]) {
      expect(refused.status).toBe(409);
      expect(refused.body.code).toBe("idempotency_key_reused");
    }
    const again = await send(file(700));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect((await fixture.owner.api.get(`/products/${productId}/imports`)).body.data).toHaveLength(1);
    await finishedImport(fixture, first.body.id, productId);
    const pieces = await fixture.store.reads.selectFrom("import_pieces").select("import_id").execute();
    expect(pieces).toEqual([]);
  }, 60_000);

  test("the audit log records who started the import and its result", async () => {
    const job = await importFile(fixture, csvFile(["customer_email"], ["audit@example.com"]));
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", job.id)
      .orderBy("at")
      .orderBy("id")
      .execute();
    expect(rows.map((row) => row.action)).toEqual(["import.started", "import.finished"]);
    for (const row of rows)
      expect(row).toMatchObject({
        actor_kind: "person",
        actor_id: fixture.owner.userId,
        organization_id: fixture.organizationId,
      });
    expect(JSON.parse(rows[1]?.after ?? "")).toMatchObject({
      created: 1,
      failed: 0,
      product_id: fixture.productId,
    });
  });

  test(`a key taken while an import runs makes ${kind} roll back everything`, async () => {
    const productId = await newProduct(fixture);
    const rows = Array.from({ length: 6_000 }, (_, number) => [
      `RACE-${number}`,
      `race${number}@example.com`,
    ]);
    const sent = await fixture.owner.api.send(
      "POST",
      path(productId),
      csvFile(["license_key", "customer_email"], ...rows),
      csv,
    );
    const taken = await takeKey(productId, "RACE-5999");
    const job = await finishedImport(fixture, sent.body.id, productId);
    const left = await exported(fixture, productId);
    if (taken) {
      expect(job).toMatchObject({ state: "failed", created: 0 });
      expect([...left.keys()]).toEqual(["RACE-5999"]);
    } else {
      expect(job).toMatchObject({ state: "finished", created: 6_000 });
      expect(left.size).toBe(6_000);
    }
  }, 60_000);

  async function takeKey(productId: string, key: string): Promise<boolean> {
    const { status } = await fixture.owner.api.post(`/products/${productId}/licenses`, {
      license_key: key,
      customer_email: "quick@example.com",
    });
    return status === 201;
  }
});
