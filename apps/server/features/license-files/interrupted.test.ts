import { expect, test } from "bun:test";
import { failure } from "@countersign/contract/problems/failures";
import {
  addImport,
  addPiece,
  requestCancel,
  requestUndo,
  undoOf,
} from "@countersign/store/queries/license-files/imports";
import { deleteProduct } from "@countersign/store/queries/products/products";
import type { ImportRow } from "@countersign/store/tables/license-files";
import { importRow } from "../../../../tests/support/import-row.ts";
import { csvFile } from "../../../../tests/support/license-files.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import type { TestOrganization } from "../../../../tests/support/test-organization.ts";
import { Released } from "./lease.ts";
import { runImport } from "./run.ts";
import { throttled } from "./throttle.ts";

const rowCount = 130;
/** A file with this many licenses, of which every tenth gets a new key. */
const fileOf = (count: number, text: string, ip: string) =>
  csvFile(
    ["license_key", "customer_email", "notes", "tags", "ips"],
    ...Array.from({ length: count }, (_, at) => {
      return [at % 10 === 0 ? null : `K-${at}`, `c${at % 50}@example.com`, text, text, ip];
    }),
  );
const file = fileOf(rowCount, "new", "10.0.0.1");
const actor = JSON.stringify({ actor_kind: "command_line", actor_name: "test" });

onDatabase("postgres", "interrupted imports", (fixture) => {
  const queued = async (org: TestOrganization, changes: Partial<ImportRow> = {}, content = file) => {
    const row = importRow(org, { actor, bytes_total: content.length, ...changes });
    await fixture.write(async (db) => {
      await addImport(db, row);
      await addPiece(db, row.id, 0, content);
    });
    return row.id;
  };
  const job = (id: string) => fixture.row("imports", { id });
  const claim = (id: string, claimant: string) => fixture.change("imports", id, { claimed_by: claimant });
  /** Runs an import in steps of 50 rows, with `between` after each and until `stopping` says so. */
  const run = async (
    id: string,
    claimant = "worker",
    { stopping = (): boolean => false, between = async (): Promise<unknown> => undefined } = {},
  ) => {
    await claim(id, claimant);
    const throttle = { rowsAtOnce: () => 50, rest: async () => void (await between()) };
    return runImport({ store: fixture.store, claimant, throttle, stopping }, await job(id));
  };
  const stopAfter = (steps: number) => {
    let taken = 0;
    return { stopping: () => ++taken >= steps };
  };
  /** Runs an import, and `meanwhile` once the first rows are written and others are not. */
  const runWith = (id: string, meanwhile: () => Promise<unknown>) =>
    run(id, "worker", {
      between: async () => {
        const { state, rows_done: done } = await job(id);
        if (state === "writing" && done === 50) await meanwhile();
      },
    });
  const stored = async ({ productId }: TestOrganization) => {
    const licenses = await fixture.rows("licenses", { product_id: productId });
    const license_id = ["", ...licenses.map(({ id }) => id)];
    const tags = await fixture.rows("license_tags", { license_id });
    const ips = await fixture.rows("license_ips", { license_id });
    return { licenses, tags: tags.sort(byLicense), ips: ips.sort(byLicense) };
  };
  const countsOf = async (org: TestOrganization) =>
    Object.values(await stored(org)).map((rows: readonly unknown[]) => rows.length);
  const leftOf = async (id: string) => [
    await fixture.rows("import_pieces", { import_id: id }),
    await undoOf(fixture.reads, id, 9),
  ];

  test.each(["row_by_row", "all_or_nothing"] as const)(
    "an interrupted import (%s) is continued by the next worker, which writes every row once",
    async (mode) => {
      const org = await fixture.organization();
      const id = await queued(org, { mode });
      // The check takes three steps, and starts over if it is interrupted.
      const isChecked = mode === "all_or_nothing";
      if (isChecked) await expect(run(id, "checking", stopAfter(1))).rejects.toBeInstanceOf(Released);
      const first = run(id, "first", stopAfter(isChecked ? 4 : 1));
      await expect(first).rejects.toBeInstanceOf(Released);
      expect(await job(id)).toMatchObject({ state: "writing", rows_done: 50, created: 50 });
      expect(await countsOf(org)).toEqual([50, 50, 50]);
      expect(await run(id, "second")).toMatchObject({ state: "finished", created: rowCount, failed: 0 });
      expect(await job(id)).toMatchObject({ rows_total: rowCount, claimed_by: null });
      expect(await countsOf(org)).toEqual([rowCount, rowCount, rowCount]);
      expect((await leftOf(id))[0]).toEqual([]);
    },
  );

  test("a worker from which another has taken over an import writes nothing more", async () => {
    const org = await fixture.organization();
    const id = await queued(org);
    const slow = run(id, "slow", { between: () => claim(id, "quick") });
    await expect(slow).rejects.toBeInstanceOf(Released);
    expect(await job(id)).toMatchObject({ claimed_by: "quick", rows_done: 50, created: 50 });
    expect((await countsOf(org))[0]).toBe(50);
  });

  test("an import that is cancelled keeps what was written and writes nothing more", async () => {
    const org = await fixture.organization();
    const id = await queued(org);
    const cancelled = await runWith(id, () => fixture.write((db) => requestCancel(db, id, Date.now())));
    expect(cancelled).toMatchObject({ state: "cancelled", created: 50 });
    expect((await countsOf(org))[0]).toBe(50);
    expect(await undoOf(fixture.reads, id, 99)).toHaveLength(50);
  });

  test("an interrupted undo of an import is continued by the next worker, which deletes every license once", async () => {
    const org = await fixture.organization();
    const id = await queued(org);
    await run(id);
    const counts = { deleted: 0, restored: 0, kept: 0 };
    const undo = JSON.stringify({ actor: JSON.parse(actor), requested_at: 1, delete_used: false, ...counts });
    await fixture.write((db) => requestUndo(db, id, undo, Date.now()));
    await expect(run(id, "second", stopAfter(1))).rejects.toBeInstanceOf(Released);
    expect(JSON.parse((await job(id)).undo ?? "{}").deleted).toBe(50);
    expect((await countsOf(org))[0]).toBe(80);
    await run(id, "third");
    const over = await job(id);
    expect(over.state).toBe("undone");
    expect(JSON.parse(over.undo ?? "{}")).toMatchObject({ deleted: rowCount, kept: 0 });
    expect((await countsOf(org))[0]).toBe(0);
    expect((await leftOf(id))[1]).toEqual([]);
  });

  test("an import that is interrupted while its file arrives leaves nothing", async () => {
    const org = await fixture.organization();
    const id = await queued(org, { state: "receiving" });
    await run(id);
    expect(await fixture.rows("imports", { id })).toEqual([]);
    expect((await countsOf(org))[0]).toBe(0);
  });

  test("an all-or-nothing import reverts every row if a key is taken meanwhile", async () => {
    const org = await fixture.organization();
    const id = await queued(org, { mode: "all_or_nothing" });
    const over = await runWith(id, () => org.license({ key: "k-129" }));
    expect(over).toMatchObject({ state: "failed", created: 0 });
    expect(JSON.parse(over.failure ?? "null")).toMatchObject({
      code: "import_row_changed",
      params: { row: rowCount + 1, error: { field: "license_key", code: "license_key_taken" } },
    });
    const { licenses, tags, ips } = await stored(org);
    expect(licenses.map((license) => license.license_key)).toEqual(["k-129"]);
    expect([tags, ips, ...(await leftOf(id))]).toEqual([[], [], [], []]);
  });

  test("an import row by row reports the row of a key that is taken meanwhile, and keeps the others", async () => {
    const org = await fixture.organization();
    const over = await runWith(await queued(org), () => org.license({ key: "k-129" }));
    expect(over).toMatchObject({ state: "finished", created: rowCount - 1, failed: 1 });
    expect(JSON.parse(over.errors)).toMatchObject([{ row: rowCount + 1, field: "license_key" }]);
  });

  test("an import whose product is deleted meanwhile restores what it had overwritten", async () => {
    const org = await fixture.organization();
    await run(await queued(org, {}, fileOf(40, "old", "10.0.0.9")));
    const before = await stored(org);
    const id = await queued(org, { mode: "all_or_nothing", on_existing: "update" });
    const over = await runWith(id, () => fixture.write((db) => deleteProduct(db, org.productId, Date.now())));
    const deleted = JSON.stringify(failure("import_product_deleted"));
    expect(over).toMatchObject({ state: "failed", failure: deleted, created: 0, updated: 0 });
    expect(await stored(org)).toEqual(before);
  });
});

function byLicense(one: { readonly license_id: string }, other: { readonly license_id: string }): number {
  return one.license_id < other.license_id ? -1 : 1;
}

test("steps of an import grow while they are fast and the server is idle, and shrink while it serves requests", async () => {
  let calls = 0;
  const throttle = throttled(() => calls);
  for (let step = 0; step < 10; step++) await throttle.rest(10);
  expect(throttle.rowsAtOnce()).toBe(2_048);
  for (let step = 0; step < 10; step++) {
    calls += 1_000;
    await throttle.rest(20);
  }
  expect(throttle.rowsAtOnce()).toBe(64);
  const idle = throttled(() => 0);
  for (let step = 0; step < 10; step++) await idle.rest(400);
  expect(idle.rowsAtOnce()).toBe(128);
});
