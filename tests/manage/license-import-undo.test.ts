import { expect, test } from "bun:test";
import { addImport } from "@countersign/store/queries/license-files/imports";
import { allRows, problemOf, statusesAtOnce } from "../support/answers.ts";
import { importRow } from "../support/import-row.ts";
import {
  csvFile,
  exported,
  finishedImport,
  importFile,
  jsonLines,
  newProduct,
} from "../support/license-files.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

/** Which licenses an undo deletes and restores: packages/store/queries/license-files/write-rows.test.ts. */
testsOn("postgres", "rejected rows and undoing imports", openManageFixture, (fixture) => {
  const pathOf = (productId: string, id: string, what = "") => `/products/${productId}/imports/${id}${what}`;
  const undo = (productId: string, id: string, body: object = {}) =>
    fixture.owner.api.post(pathOf(productId, id, "/undo"), body);
  const file = (count: number) =>
    csvFile(
      ["license_key", "customer_email"],
      ...Array.from({ length: count }, (_, number) => [`K-${number}`, `u${number}@example.com`]),
    );
  const markUsed = (id: unknown) => fixture.change("licenses", { id: String(id) }, { first_used_at: 1 });
  const columnsOf = (map: object) => `columns=${encodeURIComponent(JSON.stringify(map))}`;

  test("errors name the column and value of the file, and rejected rows contain their cells", async () => {
    const productId = await newProduct(fixture);
    const wrong = csvFile(
      ["license_key", "Bought by", "Phone", "Max_IPs"],
      ["A", "a@example.com", "1", "3"],
      ["B", "nobody at all", "=1+1", "many"],
      ["A", "c@example.com", "", "3"],
      ["D", "", "", "3"],
    );
    const columns = columnsOf({ "Bought by": "customer_email", Phone: null });
    const query = `?mode=row_by_row&file_name=sold.csv&${columns}`;
    const job = await importFile(fixture, wrong, query, { productId });
    expect(job).toMatchObject({ state: "finished", file_name: "sold.csv", created: 1, failed: 3 });
    expect(job.errors).toMatchObject([
      { row: 3, field: "customer_email", column: "Bought by", value: "nobody at all" },
      { row: 3, field: "max_ips", column: "Max_IPs", value: "many" },
      { row: 4, field: "license_key", column: "license_key", value: "A" },
      { row: 5, field: "customer_email", column: "Bought by", value: "" },
    ]);
    const rejected = async (rest: string) =>
      (await fixture.owner.api.get(pathOf(productId, job.id, `/rejected-rows?limit=2${rest}`))).body;
    const first = await rejected("");
    expect(first.columns).toEqual(["license_key", "Bought by", "Phone", "Max_IPs"]);
    expect(first.data).toMatchObject([
      { row: 3, cells: ["B", "nobody at all", "=1+1", "many"], errors: [{ column: "Bought by" }, {}] },
      { row: 4, cells: ["A", "c@example.com", "", "3"] },
    ]);
    const second = await rejected(`&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ data: [{ row: 5 }], next_cursor: null });
  });

  test("JSON lines are named by their number and returned unchanged, and a dry run stores rejected ones too", async () => {
    const productId = await newProduct(fixture);
    const wrong: [line: string, error: object][] = [
      ["not json", { row: 2, field: "row", column: null, value: null }],
      ["[1]", { row: 3, field: "row" }],
      ['{"licence_key":"J-4"}', { row: 4, field: "licence_key" }],
      ['{"customer_discord_id":80351110224678912}', { row: 5, field: "customer_discord_id" }],
      ['{"Mail":"a@example.com","notes":"a\\u0000b"}', { row: 7, field: "notes" }],
      ['{"license_key":"B","Mail":5}', { row: 8, column: "Mail", value: "5" }],
    ];
    const rejected = wrong.map(([line]) => line);
    const right = '{"license_key":"A","Mail":"a@example.com","Phone":1}';
    const lines = [right, ...rejected.slice(0, 4), "", ...rejected.slice(4)].join("\n");
    const query = `?dry_run=true&${columnsOf({ Mail: "customer_email", Phone: null })}`;
    const job = await importFile(fixture, lines, query, { productId, type: jsonLines });
    expect(job).toMatchObject({ created: 1, errors: wrong.map(([, error]) => error) });
    const { body } = await fixture.owner.api.get(pathOf(productId, job.id, "/rejected-rows"));
    expect(body.columns).toEqual(["line"]);
    expect(body.data.map((row: { cells: string[] }) => row.cells[0])).toEqual(rejected);
  });

  test("imports are listed newest first, page by page, by product and with product and file by organization", async () => {
    const productId = await newProduct(fixture, { name: "Listed" });
    const ids: string[] = [];
    for (const name of ["one.csv", "two.csv", "three.csv"])
      ids.unshift((await importFile(fixture, file(1), `?dry_run=true&file_name=${name}`, { productId })).id);
    const organization = `/organizations/${fixture.organizationId}/imports`;
    for (const list of [`/products/${productId}/imports`, organization]) {
      const listed = await allRows<{ id: string }>(fixture.owner.api, list);
      expect(listed.slice(0, 3).map(({ id }) => id)).toEqual(ids);
      if (list !== organization) expect(listed).toHaveLength(3);
      else expect(listed[0]).toMatchObject({ product_name: "Listed", file_name: "three.csv" });
    }
    const other = await newProduct(fixture);
    expect((await fixture.owner.api.get(pathOf(other, ids[0] ?? ""))).status).toBe(404);
  });

  test("undoing deletes created licenses and restores updated ones, except used ones", async () => {
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
    const found = await fixture.owner.api.get(`/products/${productId}/licenses?q=before`);
    expect(found.body.data).toHaveLength(1);
    expect(problemOf(await undo(productId, job.id))).toEqual([409, "import_undone"]);
    const log = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/audit-log?action=import.undone`,
    );
    expect(log.body.data[0]).toMatchObject({ subject: { id: job.id }, after: { deleted: 1, kept: 1 } });
  });

  test("undoing with delete_used deletes used licenses too, once, however many request it", async () => {
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

  test("undoing updates needs the permissions of the update", async () => {
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
