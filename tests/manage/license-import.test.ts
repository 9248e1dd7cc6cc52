import { expect, setDefaultTimeout, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { addImport } from "@countersign/store/queries/license-files/imports";
import { allRows, problemOf, statusesAtOnce } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import { importRow } from "../support/import-row.ts";
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
  const get = async (at: string) => (await fixture.owner.api.get(at)).body;
  const send = (file: string | Blob, query = "", type: Record<string, string> = csv) =>
    fixture.owner.api.send("POST", path(fixture.productId, query), file, type);
  const errorsOf = (job: { errors: { row: number; field: string }[] }) =>
    job.errors.map(({ row, field }) => `${row} ${field}`);
  const importsOf = async (productId: string) => (await get(`/products/${productId}/imports`)).data;
  const keysOf = async (productId: string) => [...(await exported(fixture, productId)).keys()];
  const piecesOf = (importId: string) => fixture.stored("import_pieces", { import_id: importId });
  const columnsOf = (map: object) => `columns=${encodeURIComponent(JSON.stringify(map))}`;

  test("a spreadsheet's file is read with the product's defaults, its keys work, and the import is audited", async () => {
    const defaults = { default_max_ips: 7, default_expires_in_days: 10, default_ip_system_enabled: false };
    await fixture.owner.api.patch(`/products/${fixture.productId}`, defaults);
    // With a byte order mark, semicolons, and no line break at the end.
    const file = [
      "\ufefflicense_key;customer_email;created_at;notes;id",
      'old Key-1;ada@example.com;2020-01-02T03:04:05Z;"x;y";chosen',
      ";grace@example.com;;;",
    ].join("\n");
    const job = await importFile(fixture, file);
    const counts = { created: 2, failed: 0, rows_total: 2, rows_done: 2 };
    expect(job).toMatchObject({ state: "finished", ...counts, errors: [] });
    const licenses = await exported(fixture, fixture.productId);
    const first = licenses.get("old Key-1");
    expect(first).toMatchObject({
      ...{ created_at: "2020-01-02T03:04:05.000Z", status: "active", notes: "x;y" },
      ...{ max_ips: 7, ip_system_enabled: false, is_lifetime: false },
    });
    expect(first?.id).not.toBe("chosen");
    expect((Date.parse(String(first?.expires_at)) - Date.now()) / 86_400_000).toBeCloseTo(10, 1);
    const made = [...licenses.keys()].find((key) => !key.startsWith("old")) ?? "";
    expect(made).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    expect((await fixture.publicApi.validate({ license_key: "OLD KEY-1" })).body.status).toBe("active");
    const { organizationId: organization_id, productId: product_id } = fixture;
    const [started, finished] = await auditOf(fixture, job.id);
    const actor = { actor_kind: "person", actor_id: fixture.owner.userId, organization_id };
    expect(started).toMatchObject({ action: "import.started", ...actor });
    expect(finished).toMatchObject({ action: "import.finished", ...actor });
    expect(JSON.parse(finished?.after ?? "")).toMatchObject({ created: 2, failed: 0, product_id });
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
    const withMap = async (map: object) => (await send("notes\n1\n", `?${columnsOf(map)}`)).body.errors[0];
    expect(await withMap({ A: "price" })).toMatchObject({ field: "columns", code: "invalid_column_map" });
    expect(await withMap({ Key: "license_key" })).toMatchObject({ code: "column_not_in_file" });
    expect((await send("{}", "", { "content-type": "application/xml" })).status).toBe(415);
    expect(await importsOf(fixture.productId)).toEqual(before);
  });

  test("invalid rows are named; a dry run and all_or_nothing write nothing, and row_by_row the others", async () => {
    const productId = await newProduct(fixture);
    const file = csvFile(
      ["license_key", "Bought by", "Phone", "Max_IPs"],
      ["GOOD-1", "a@example.com", "1", 3],
      ["BAD-2", null, null, null],
      ["BAD-3", "nobody", "=1+1", 0],
      ["good-1", "a@example.com", null, null],
    );
    const columns = columnsOf({ "Bought by": "customer_email", Phone: null });
    const run = (query: string) => importFile(fixture, file, `?${columns}${query}`, { productId });
    const failed = await run("");
    expect(failed).toMatchObject({ state: "failed", created: 0, failed: 3, rows_total: 4 });
    expect(failed.failure).toEqual({
      code: "import_rows_invalid",
      params: { count: 3, rows: 4 },
      message: "3 of 4 rows are invalid, so nothing was imported.",
    });
    const dry = await run("&mode=row_by_row&dry_run=true");
    expect(dry).toMatchObject({ state: "finished", dry_run: true, created: 1, failed: 3 });
    expect([await piecesOf(dry.id), await keysOf(productId)]).toEqual([[], []]);
    const job = await run("&mode=row_by_row");
    expect(job).toMatchObject({ state: "finished", created: 1, failed: 3, error_count: 4, failure: null });
    expect(await keysOf(productId)).toEqual(["GOOD-1"]);
    for (const { errors } of [failed, dry, job]) {
      expect(errors).toMatchObject([
        { row: 3, field: "customer_email", column: "Bought by", value: "" },
        { row: 4, field: "customer_email", column: "Bought by", value: "nobody" },
        { row: 4, field: "max_ips", column: "Max_IPs", value: "0" },
        { row: 5, field: "license_key", column: "license_key", value: "good-1" },
      ]);
      for (const { field, message } of errors) expect(message).toStartWith(field);
    }
    const rejected = `/products/${productId}/imports/${job.id}/rejected-rows?limit=2`;
    const first = await get(rejected);
    expect(first.columns).toEqual(["license_key", "Bought by", "Phone", "Max_IPs"]);
    expect(first.data).toMatchObject([
      { row: 3, cells: ["BAD-2", "", "", ""] },
      { row: 4, cells: ["BAD-3", "nobody", "=1+1", "0"], errors: [{ column: "Bought by" }, {}] },
    ]);
    const second = await get(`${rejected}&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ data: [{ row: 5 }], next_cursor: null });
  });

  test("JSON lines are named by their number and returned unchanged, and a dry run stores refused ones too", async () => {
    const productId = await newProduct(fixture);
    const wrong: [line: string, error: object][] = [
      ["not json", { row: 2, field: "row", column: null, value: null }],
      ["[1]", { row: 3, field: "row" }],
      ['{"licence_key":"J-4"}', { row: 4, field: "licence_key" }],
      ['{"customer_discord_id":80351110224678912}', { row: 5, field: "customer_discord_id" }],
      ['{"Mail":"a@example.com","notes":"a\\u0000b"}', { row: 7, field: "notes" }],
      ['{"license_key":"B","Mail":5}', { row: 8, column: "Mail", value: "5" }],
    ];
    const lines = wrong.map(([line]) => line);
    const right = '{"license_key":"A","Mail":"a@example.com","Phone":1}';
    const file = [right, ...lines.slice(0, 4), "", ...lines.slice(4)].join("\n");
    const query = `?dry_run=true&${columnsOf({ Mail: "customer_email", Phone: null })}`;
    const job = await importFile(fixture, file, query, { productId, type: jsonLines });
    expect(job).toMatchObject({ created: 1, errors: wrong.map(([, error]) => error) });
    const { columns, data } = await get(`/products/${productId}/imports/${job.id}/rejected-rows`);
    expect(columns).toEqual(["line"]);
    expect(data.map((row: { cells: string[] }) => row.cells[0])).toEqual(lines);
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

  test("an existing key fails the import, is skipped or is updated, and all imports are listed, newest first", async () => {
    const productId = await newProduct(fixture, { name: "Listed" });
    const file = csvFile(
      ["license_key", "customer_email", "notes"],
      ["same-1", "grace@example.com", "after"],
      ["Fresh", "grace@example.com", null],
    );
    const runs: [query: string, file: string, result: object][] = [
      ["?", csvFile(["license_key", "customer_email"], ["Same-1", "ada@example.com"]), { created: 1 }],
      ["?", file, { state: "failed", errors: [{ row: 2, field: "license_key" }] }],
      ["?on_existing=skip&", file, { created: 1, skipped: 1 }],
      ["?on_existing=update&", file, { created: 0, updated: 2 }],
    ];
    const notes: unknown[] = [];
    const ids: string[] = [];
    for (const [query, sent, result] of runs) {
      const job = await importFile(fixture, sent, `${query}file_name=${ids.length}.csv`, { productId });
      expect(job).toMatchObject(result);
      ids.unshift(job.id);
      notes.push((await exported(fixture, productId)).get("Same-1")?.notes);
    }
    expect(notes).toEqual([null, null, null, "after"]);
    const organization = `/organizations/${fixture.organizationId}/imports`;
    for (const list of [`/products/${productId}/imports`, organization]) {
      const listed = await allRows<{ id: string }>(fixture.owner.api, list);
      expect(listed.slice(0, 4).map(({ id }) => id)).toEqual(ids);
      if (list !== organization) expect(listed).toHaveLength(4);
      else expect(listed[0]).toMatchObject({ product_name: "Listed", file_name: "3.csv" });
    }
    const elsewhere = `/products/${fixture.productId}/imports/${ids[0]}`;
    expect((await fixture.owner.api.get(elsewhere)).status).toBe(404);
  });

  const permissions: [what: string, more: Permission[], status: number, missing: string | undefined][] = [
    ["update", ["licenses:revoke"], 403, "licenses:update"],
    ["update", ["licenses:update"], 403, "licenses:revoke"],
    ["update", ["licenses:update", "licenses:revoke"], 202, undefined],
    ["skip", [], 202, undefined],
  ];
  test.each(permissions)(
    "an import to %s existing licenses with %j beside licenses:import gets %i",
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
    expect(await keysOf(productId)).toHaveLength(600);
  });
});

/** Which licenses an undo deletes and restores: packages/store/queries/license-files/write-rows.test.ts. */
testsOn("postgres", "undoing and cancelling imports", openManageFixture, (fixture) => {
  const pathOf = (productId: string, id: string, what = "") => `/products/${productId}/imports/${id}${what}`;
  const undo = (productId: string, id: string, body: object = {}) =>
    fixture.owner.api.post(pathOf(productId, id, "/undo"), body);
  const file = (count: number) =>
    csvFile(
      ["license_key", "customer_email"],
      ...Array.from({ length: count }, (_, number) => [`K-${number}`, `u${number}@example.com`]),
    );
  const markUsed = (id: unknown) => fixture.change("licenses", { id: String(id) }, { first_used_at: 1 });

  test("undoing an import deletes created licenses and restores updated ones, except used ones", async () => {
    const productId = await newProduct(fixture);
    const rows = (notes: string, ...keys: string[]) =>
      csvFile(
        ["license_key", "customer_email", "notes"],
        ...keys.map((key) => [key, `${notes}@example.com`, notes]),
      );
    await importFile(fixture, rows("before", "OLD"), "", { productId });
    const before = (await exported(fixture, productId)).get("OLD");
    const all = rows("after", "OLD", "NEW", "USED");
    const job = await importFile(fixture, all, "?on_existing=update", { productId });
    expect(job).toMatchObject({ created: 2, updated: 1, undo: null, undo_until: expect.any(String) });
    await markUsed((await exported(fixture, productId)).get("USED")?.id);
    const forecast = await fixture.owner.api.get(pathOf(productId, job.id, "/undo"));
    expect(forecast.body).toEqual({ created: 2, used: 1, updated: 1, changed: 0 });
    expect((await undo(productId, job.id)).status).toBe(202);
    const over = { state: "undone", undo: { deleted: 1, restored: 1, kept: 1 }, undo_until: null };
    expect(await finishedImport(fixture, job.id, productId)).toMatchObject(over);
    const left = await exported(fixture, productId);
    expect([...left.keys()].sort()).toEqual(["OLD", "USED"]);
    expect({ ...left.get("OLD"), updated_at: null }).toEqual({ ...before, updated_at: null });
    expect(problemOf(await undo(productId, job.id))).toEqual([409, "import_undone"]);
    const last = (await auditOf(fixture, job.id)).at(-1);
    expect(last).toMatchObject({ action: "import.undone", after: expect.stringContaining('"kept":1') });
  });

  test("undoing an import with delete_used deletes used licenses too, once, however many request it", async () => {
    const productId = await newProduct(fixture);
    const job = await importFile(fixture, file(3), "?send_events=true", { productId });
    await markUsed((await exported(fixture, productId)).get("K-1")?.id);
    const statuses = await statusesAtOnce(3, () => undo(productId, job.id, { delete_used: true }));
    expect(statuses).toEqual([202, 409, 409]);
    expect(await finishedImport(fixture, job.id, productId)).toMatchObject({ undo: { deleted: 3, kept: 0 } });
    expect((await exported(fixture, productId)).size).toBe(0);
    const events = await fixture.stored("events", { product_id: productId, type: "license.deleted" });
    expect(events).toHaveLength(3);
  });

  /** What a cancelled import keeps: apps/server/features/license-files/interrupted.test.ts. */
  test("a running import can be cancelled and not be undone; one that has ended cannot be cancelled", async () => {
    const productId = await newProduct(fixture);
    const { organizationId } = fixture;
    // Another server is working on it.
    const running = { state: "writing", claimed_by: "other", claimed_until: Date.now() + 60_000 } as const;
    const job = importRow({ organizationId, productId }, running);
    await fixture.store.transaction((db) => addImport(db, job));
    expect((await undo(productId, job.id)).body.code).toBe("import_running");
    const cancel = async (id: string) =>
      (await fixture.owner.api.post(`${pathOf(productId, id)}/cancel`)).status;
    expect(await cancel(job.id)).toBe(200);
    const over = await importFile(fixture, file(1), "", { productId });
    expect(await cancel(over.id)).toBe(409);
    for (const query of ["?dry_run=true", "?on_existing=skip"]) {
      const nothing = await importFile(fixture, file(1), query, { productId });
      const refused = await undo(productId, nothing.id);
      expect([refused.body.code, nothing.undo_until]).toEqual(["import_changed_nothing", null]);
    }
  });

  test("undoing an import that updated licenses needs the permissions of the update", async () => {
    const productId = await newProduct(fixture);
    await importFile(fixture, file(1), "", { productId });
    const job = await importFile(fixture, file(2), "?on_existing=update", { productId });
    const { api } = await fixture.member(["licenses:import", "licenses:delete"]);
    expect((await api.post(pathOf(productId, job.id, "/undo"), {})).body).toMatchObject({
      code: "permission_missing",
      params: { permission: "licenses:update" },
    });
  });
});
