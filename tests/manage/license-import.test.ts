import { expect, setDefaultTimeout, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { problemOf } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import {
  csv,
  csvFile,
  exported,
  finishedImport,
  importFile,
  jsonLines,
  newProduct,
} from "../support/license-files.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

/**
 * What a header and a row mean: packages/domain/license-files. What is written:
 * packages/store/queries/license-files/write-rows.test.ts. That every field is read: license-export.test.ts.
 */
testsOn("sqlite", "importing licenses", openManageFixture, (fixture) => {
  const path = (productId: string, query = "") => `/products/${productId}/licenses/import${query}`;
  const send = (file: string | Blob, query = "", type: Record<string, string> = csv) =>
    fixture.owner.api.send("POST", path(fixture.productId, query), file, type);
  const errorsOf = (job: { errors: { row: number; field: string }[] }) =>
    job.errors.map(({ row, field }) => `${row} ${field}`);
  const importsOf = async (productId: string) =>
    (await fixture.owner.api.get(`/products/${productId}/imports`)).body.data;
  const piecesOf = (importId: string) => fixture.stored("import_pieces", { import_id: importId });

  test("keys and times are stored as given, the product provides the rest, and the import is audited", async () => {
    const defaults = { default_max_ips: 7, default_expires_in_days: 10, default_ip_system_enabled: false };
    await fixture.owner.api.patch(`/products/${fixture.productId}`, defaults);
    // As a spreadsheet program writes it: a byte order mark, semicolons, and no line break at the end.
    const file = [
      "\ufefflicense_key;customer_email;created_at;revoked_at;revoked_reason;first_used_at;notes;id",
      'old Key-1;ada@example.com;2020-01-02T03:04:05Z;;;2020-02-01T00:00:00+02:00;"x;y";chosen',
      "old-key-2;ada@example.com;2021-01-02;2022-01-01T00:00:00Z;refunded;;;",
      ";grace@example.com;;;;;;",
    ].join("\n");
    const job = await importFile(fixture, file);
    const counts = { created: 3, failed: 0, rows_total: 3, rows_done: 3 };
    expect(job).toMatchObject({ state: "finished", ...counts, errors: [] });
    const licenses = await exported(fixture, fixture.productId);
    const first = licenses.get("old Key-1");
    expect(first).toMatchObject({
      ...{ created_at: "2020-01-02T03:04:05.000Z", first_used_at: "2020-01-31T22:00:00.000Z" },
      ...{ status: "active", notes: "x;y", max_ips: 7, ip_system_enabled: false, is_lifetime: false },
    });
    expect(first?.id).not.toBe("chosen");
    expect((Date.parse(String(first?.expires_at)) - Date.now()) / 86_400_000).toBeCloseTo(10, 1);
    expect(licenses.get("old-key-2")).toMatchObject({
      ...{ revoked_at: "2022-01-01T00:00:00.000Z", revoked_reason: "refunded", status: "revoked" },
    });
    const made = [...licenses.keys()].find((key) => !key.startsWith("old")) ?? "";
    expect(made).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    expect((await fixture.publicApi.validate({ license_key: "OLD KEY-1" })).body.status).toBe("active");
    const actor = { actor_kind: "person", actor_id: fixture.owner.userId };
    const { organizationId: organization_id, productId: product_id } = fixture;
    const log = await auditOf(fixture, job.id);
    expect(log).toMatchObject([
      { action: "import.started", ...actor, organization_id },
      { action: "import.finished", ...actor, organization_id },
    ]);
    expect(JSON.parse(log[1]?.after ?? "")).toMatchObject({ created: 3, failed: 0, product_id });
  });

  test("a file that cannot be read is refused immediately and creates no import", async () => {
    const before = await importsOf(fixture.productId);
    const latin = new Blob([new Uint8Array([...Buffer.from("notes\n"), 0xc3, 0x28])]);
    const noColumn = "license_key,customer_mail\nA,a@example.com\n";
    const files: [file: string | Blob, error: object][] = [
      [noColumn, { code: "unknown_column", params: { column: "customer_mail" } }],
      ["", { code: "file_empty", params: {} }],
      ['license_key\n"A\n', { code: "quote_not_closed", params: { row: 2 } }],
      [latin, { code: "file_not_utf8" }],
    ];
    for (const [file, error] of files) {
      const refused = { status: 422, body: { errors: [{ field: "body", ...error }] } };
      expect(await send(file)).toMatchObject(refused);
    }
    const withMap = async (map: object) =>
      (await send("notes\n1\n", `?columns=${encodeURIComponent(JSON.stringify(map))}`)).body.errors[0];
    expect(await withMap({ A: "price" })).toMatchObject({ field: "columns", code: "invalid_column_map" });
    expect(await withMap({ Key: "license_key" })).toMatchObject({ code: "column_not_in_file" });
    expect((await send("{}", "", { "content-type": "application/json" })).status).toBe(415);
    expect(await importsOf(fixture.productId)).toEqual(before);
  });

  test("invalid rows are named by row and field; a dry run and all_or_nothing write nothing, row_by_row the others", async () => {
    const productId = await newProduct(fixture);
    const file = csvFile(
      ["license_key", "customer_email", "max_ips"],
      ["GOOD-1", "a@example.com", 3],
      ["BAD-2", null, null],
      ["BAD-3", "nobody", 0],
      ["good-1", "a@example.com", null],
    );
    const expected = ["3 customer_email", "4 customer_email", "4 max_ips", "5 license_key"];
    const keys = async () => [...(await exported(fixture, productId)).keys()];

    const failed = await importFile(fixture, file, "", { productId });
    expect(failed).toMatchObject({ state: "failed", created: 0, failed: 3, rows_total: 4 });
    expect(failed.failure).toEqual({
      code: "import_rows_invalid",
      params: { count: 3, rows: 4 },
      message: "3 of 4 rows are invalid, so nothing was imported.",
    });
    const dry = await importFile(fixture, file, "?mode=row_by_row&dry_run=true", { productId });
    expect(dry).toMatchObject({ state: "finished", dry_run: true, created: 1, failed: 3 });
    expect(await piecesOf(dry.id)).toEqual([]);
    expect(await keys()).toEqual([]);
    const job = await importFile(fixture, file, "?mode=row_by_row", { productId });
    expect(job).toMatchObject({ state: "finished", created: 1, failed: 3, error_count: 4, failure: null });
    expect(await keys()).toEqual(["GOOD-1"]);
    for (const each of [failed, dry, job]) {
      expect(errorsOf(each)).toEqual(expected);
      for (const { field, message } of each.errors) expect(message).toStartWith(field);
    }
  });

  test("the first thousand errors are stored and all are counted, and a row without end fails the import", async () => {
    const rows = Array.from({ length: 1_100 }, () => ["x", null]);
    const huge = ["a@example.com", "n".repeat(300_000)];
    const header = ["customer_email", "notes"];
    const job = await importFile(fixture, csvFile(header, huge, ...rows), "?dry_run=true");
    expect(job.errors).toHaveLength(1_000);
    expect(job).toMatchObject({ error_count: 1_101, failed: 1_101 });
    expect(errorsOf(job)[0]).toBe("2 notes");
    const endless = await importFile(fixture, `notes\n"${"n".repeat(2_000_000)}`);
    expect(endless).toMatchObject({ state: "failed", created: 0 });
    expect(endless.failure).toMatchObject({
      code: "import_file_invalid",
      params: { error: { field: "file", code: "row_too_long", params: { row: 2 } } },
    });
  });

  test("an existing key fails the import, is skipped or is updated, as requested", async () => {
    const productId = await newProduct(fixture);
    const header = ["license_key", "customer_email", "notes", "max_ips", "ips"];
    const first = csvFile(header, ["Same-1", "ada@example.com", "before", 3, "10.0.0.1"]);
    await importFile(fixture, first, "", { productId });
    const second = csvFile(
      header.slice(0, 3),
      ["same-1", "grace@example.com", "after"],
      ["Fresh", "grace@example.com", null],
    );
    const run = (query: string) => importFile(fixture, second, query, { productId });
    expect(await run("")).toMatchObject({ state: "failed", errors: [{ row: 2, field: "license_key" }] });
    expect(await run("?on_existing=skip")).toMatchObject({ created: 1, skipped: 1 });
    const same = async () => (await exported(fixture, productId)).get("Same-1");
    expect((await same())?.notes).toBe("before");
    expect(await run("?on_existing=update")).toMatchObject({ created: 0, updated: 2 });
    expect(await same()).toMatchObject({
      ...{ customer_email: "grace@example.com", notes: "after", max_ips: 3, ips: ["10.0.0.1"] },
    });
  });

  const permissions: [what: string, more: Permission[], status: number, missing: string | undefined][] = [
    ["update", ["licenses:revoke"], 403, "licenses:update"],
    ["update", ["licenses:update"], 403, "licenses:revoke"],
    ["update", ["licenses:update", "licenses:revoke"], 202, undefined],
    ["skip", [], 202, undefined],
  ];
  test.each(permissions)(
    "to %s existing licenses with %j beside licenses:import gets %i",
    async (what, more, status, missing) => {
      const { api } = await fixture.member(["licenses:import", ...more]);
      const to = path(fixture.productId, `?on_existing=${what}`);
      const answer = await api.send("POST", to, "license_key,customer_email\n", csv);
      expect([answer.status, answer.body.params?.permission]).toEqual([status, missing]);
    },
  );

  test("a file in several pieces is imported once with an Idempotency-Key, and another with the same key is refused", async () => {
    const productId = await newProduct(fixture);
    const note = "n".repeat(1_000);
    const file = (count: number) =>
      csvFile(
        ["license_key", "customer_email", "notes"],
        ...Array.from({ length: count }, (_, row) => [`K-${row}`, `m${row % 70}@example.com`, note]),
      );
    const headers = { ...csv, "idempotency-key": crypto.randomUUID() };
    const sendOnce = (body: string, more = {}) =>
      fixture.owner.api.send("POST", path(productId), body, { ...headers, ...more });
    const first = await sendOnce(file(600));
    expect(first.status).toBe(202);
    const lines = await sendOnce(`{"customer_email":"a@example.com"}\n`, jsonLines);
    for (const refused of [await sendOnce(file(599)), await sendOnce(file(1)), lines])
      expect(problemOf(refused)).toEqual([409, "idempotency_key_reused"]);
    const again = await sendOnce(file(600));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(await importsOf(productId)).toHaveLength(1);
    const done = await finishedImport(fixture, first.body.id, productId);
    expect(done).toMatchObject({ created: 600, rows_total: 600 });
    expect(await piecesOf(first.body.id)).toEqual([]);
    expect((await exported(fixture, productId)).size).toBe(600);
  });
});
