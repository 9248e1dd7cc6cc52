import { expect, test } from "bun:test";
import { addImport } from "@countersign/store/queries/license-files/imports";
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
  const markUsed = (id: unknown) =>
    fixture.store.transaction((db) =>
      db.updateTable("licenses").set({ first_used_at: 1 }).where("id", "=", String(id)).execute(),
    );
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
      const { body: first } = await fixture.owner.api.get(`${list}?limit=2`);
      const { body: rest } = await fixture.owner.api.get(`${list}?limit=2&cursor=${first.next_cursor}`);
      const listed: { id: string }[] = [...first.data, ...rest.data];
      expect(listed.slice(0, 3).map(({ id }) => id)).toEqual(ids);
      if (list !== organization) expect([listed.length, rest.next_cursor]).toEqual([3, null]);
      else expect(listed[0]).toMatchObject({ product_name: "Listed", file_name: "three.csv" });
    }
    const other = await newProduct(fixture);
    expect((await fixture.owner.api.get(pathOf(other, ids[0] ?? ""))).status).toBe(404);
  });

  test("undoing deletes created licenses and restores updated ones, except used and changed ones", async () => {
    const productId = await newProduct(fixture);
    const rows = (notes: string, ...keys: string[]) =>
      csvFile(
        ["license_key", "customer_email", "notes"],
        ...keys.map((key) => [key, `${notes}@example.com`, notes]),
      );
    await importFile(fixture, rows("before", "OLD-1", "OLD-2"), "", { productId });
    const before = (await exported(fixture, productId)).get("OLD-1");
    const all = rows("after", "OLD-1", "OLD-2", "NEW-1", "NEW-2", "NEW-3");
    const job = await importFile(fixture, all, "?on_existing=update", { productId });
    expect(job).toMatchObject({ created: 3, updated: 2, undo: null, undo_until: expect.any(String) });
    const imported = await exported(fixture, productId);
    for (const key of ["OLD-2", "NEW-2"])
      await fixture.owner.api.patch(`/licenses/${imported.get(key)?.id}`, { notes: "by hand" });
    await markUsed(imported.get("NEW-3")?.id);
    const forecast = await fixture.owner.api.get(pathOf(productId, job.id, "/undo"));
    expect(forecast.body).toEqual({ created: 3, used: 2, updated: 2, changed: 1 });
    expect((await undo(productId, job.id)).status).toBe(202);
    expect(await finishedImport(fixture, job.id, productId)).toMatchObject({
      ...{ state: "undone", undo: { deleted: 1, restored: 1, kept: 3 }, undo_until: null },
    });
    const left = await exported(fixture, productId);
    expect([...left.keys()].sort()).toEqual(["NEW-2", "NEW-3", "OLD-1", "OLD-2"]);
    expect({ ...left.get("OLD-1"), updated_at: null }).toEqual({ ...before, updated_at: null });
    expect(left.get("OLD-2")).toMatchObject({ notes: "by hand", customer_email: "after@example.com" });
    const found = await fixture.owner.api.get(`/products/${productId}/licenses?q=before`);
    expect(found.body.data).toHaveLength(1);
    const again = await undo(productId, job.id);
    expect([again.status, again.body.code]).toEqual([409, "import_undone"]);
    const log = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/audit-log?action=import.undone`,
    );
    expect(log.body.data[0]).toMatchObject({ subject: { id: job.id }, after: { deleted: 1, kept: 3 } });
  });

  test("undoing with delete_used deletes used licenses too, once, however many request it", async () => {
    const productId = await newProduct(fixture);
    const job = await importFile(fixture, file(3), "?send_events=true", { productId });
    await markUsed((await exported(fixture, productId)).get("K-1")?.id);
    const answers = await Promise.all([1, 2, 3].map(() => undo(productId, job.id, { delete_used: true })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    expect(await finishedImport(fixture, job.id, productId)).toMatchObject({ undo: { deleted: 3, kept: 0 } });
    expect((await exported(fixture, productId)).size).toBe(0);
    const events = await fixture.store.reads
      .selectFrom("events")
      .select("type")
      .where("product_id", "=", productId)
      .where("type", "=", "license.deleted")
      .execute();
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
