import { expect, test } from "bun:test";
import { addImport } from "@countersign/store/queries/license-files/imports";
import { problemOf, statusesAtOnce } from "../support/answers.ts";
import { importRow } from "../support/import-row.ts";
import { csvFile, exported, finishedImport, importFile, newProduct } from "../support/license-files.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

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
