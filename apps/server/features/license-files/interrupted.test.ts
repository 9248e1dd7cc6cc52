import { expect, test } from "bun:test";
import {
  addImport,
  addPiece,
  importById,
  requestCancel,
  requestUndo,
  undoOf,
} from "@countersign/store/queries/license-files/imports";
import { productById } from "@countersign/store/queries/manage/access";
import type { ImportRow } from "@countersign/store/tables";
import { csvFile } from "../../../../tests/support/license-files.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import type { TestOrganization } from "../../../../tests/support/test-organization.ts";
import { type ImportActor, type ImportOptions, newImport } from "./job.ts";
import { Released } from "./lease.ts";
import { runImport } from "./run.ts";

const rowCount = 130;
const file = csvFile(
  ["license_key", "customer_email", "tags", "ips"],
  ...Array.from({ length: rowCount }, (_, at) => [
    at % 10 === 0 ? null : `K-${at}`,
    `c${at % 50}@example.com`,
    "tag",
    "10.0.0.1",
  ]),
);
const options = { format: "csv", dryRun: false, onExisting: "fail", columns: {} } as const;
const actor: ImportActor = {
  actor_kind: "command_line",
  actor_id: null,
  actor_name: "test",
  access_token_id: null,
  ip: null,
  request_id: null,
};

/** What happens after each step. */
interface Interruption {
  readonly stopping?: () => boolean;
  readonly between?: () => Promise<void>;
}

onBothDatabases("an import that is interrupted", (fixture) => {
  const queued = async (org: TestOrganization, mode: ImportOptions["mode"], state: ImportRow["state"]) => {
    const product = await productById(fixture.reads, org.productId);
    if (product === undefined) throw new Error("The product is not there.");
    const made = newImport(product, "UTC", { ...options, mode }, actor, "sender", Date.now());
    // Other tests claim waiting imports of the whole database, but none that someone holds.
    const job: ImportRow = { ...made, state, bytes_total: file.length, claimed_until: 9e15 };
    await fixture.write(async (db) => {
      await addImport(db, job);
      await addPiece(db, job.id, 0, file);
    });
    return job.id;
  };
  const job = async (id: string) => {
    const row = await importById(fixture.reads, id);
    if (row === undefined) throw new Error("The import is not there.");
    return row;
  };
  const claim = (id: string, claimant: string) =>
    fixture.write((db) =>
      db.updateTable("imports").set({ claimed_by: claimant }).where("id", "=", id).execute(),
    );
  /** Runs an import in steps of 50 rows. */
  const run = async (
    id: string,
    claimant: string,
    { stopping = () => false, between = async () => {} }: Interruption = {},
  ) => {
    await claim(id, claimant);
    const throttle = { rowsAtOnce: () => 50, rest: between };
    return runImport({ store: fixture.store, claimant, throttle, stopping }, await job(id));
  };
  const stopAfter = (steps: number) => {
    let taken = 0;
    return { stopping: () => ++taken >= steps };
  };
  const countIn = async (table: "licenses" | "license_tags", { organizationId }: TestOrganization) => {
    const { count } = await fixture.reads
      .selectFrom(table)
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("organization_id", "=", organizationId)
      .executeTakeFirstOrThrow();
    return Number(count);
  };

  test.each(["row_by_row", "all_or_nothing"] as const)(
    "is continued by the next worker, which writes every row once: %s",
    async (mode) => {
      const org = await fixture.organization();
      const id = await queued(org, mode, "waiting");
      // The check takes three steps, and starts over if it is interrupted.
      const isChecked = mode === "all_or_nothing";
      if (isChecked) await expect(run(id, "checking", stopAfter(1))).rejects.toBeInstanceOf(Released);
      const first = run(id, "first", stopAfter(isChecked ? 4 : 1));
      await expect(first).rejects.toBeInstanceOf(Released);
      expect(await job(id)).toMatchObject({ state: "writing", rows_done: 50, created: 50 });
      expect(await countIn("licenses", org)).toBe(50);
      expect(await run(id, "second")).toMatchObject({ state: "finished", created: rowCount, failed: 0 });
      expect(await job(id)).toMatchObject({ rows_total: rowCount, claimed_by: null });
      for (const table of ["licenses", "license_tags"] as const)
        expect(await countIn(table, org)).toBe(rowCount);
      const pieces = fixture.reads.selectFrom("import_pieces").select("number").where("import_id", "=", id);
      expect(await pieces.execute()).toEqual([]);
    },
  );

  test("is left alone by a worker from which another has taken it over", async () => {
    const org = await fixture.organization();
    const id = await queued(org, "row_by_row", "waiting");
    const slow = run(id, "slow", { between: () => claim(id, "quick").then(() => undefined) });
    await expect(slow).rejects.toBeInstanceOf(Released);
    expect(await job(id)).toMatchObject({ claimed_by: "quick", rows_done: 50, created: 50 });
    expect(await countIn("licenses", org)).toBe(50);
  });

  test("by a request to cancel it keeps what was written and writes nothing more", async () => {
    const org = await fixture.organization();
    const id = await queued(org, "row_by_row", "waiting");
    const cancel = async () => {
      await fixture.write((db) => requestCancel(db, id, Date.now()));
    };
    expect(await run(id, "first", { between: cancel })).toMatchObject({ state: "cancelled", created: 50 });
    expect(await countIn("licenses", org)).toBe(50);
    expect(await undoOf(fixture.reads, id, 99)).toHaveLength(50);
  });

  test("while it is undone is continued by the next worker, which deletes every license once", async () => {
    const org = await fixture.organization();
    const id = await queued(org, "row_by_row", "waiting");
    await run(id, "first");
    const counts = { deleted: 0, restored: 0, kept: 0 };
    const undo = JSON.stringify({ actor, requested_at: 1, delete_used: false, ...counts });
    await fixture.write((db) => requestUndo(db, id, undo, Date.now()));
    await expect(run(id, "second", stopAfter(1))).rejects.toBeInstanceOf(Released);
    const left = rowCount - JSON.parse((await job(id)).undo ?? "{}").deleted;
    expect(left).toBe(80);
    expect(await countIn("licenses", org)).toBe(left);
    await run(id, "third");
    const over = await job(id);
    expect(over.state).toBe("undone");
    expect(JSON.parse(over.undo ?? "{}")).toMatchObject({ deleted: rowCount, kept: 0 });
    expect(await countIn("licenses", org)).toBe(0);
    expect(await undoOf(fixture.reads, id, 9)).toEqual([]);
  });

  test("while its file arrives leaves nothing", async () => {
    const org = await fixture.organization();
    const id = await queued(org, "row_by_row", "receiving");
    await run(id, "next");
    expect(await importById(fixture.reads, id)).toBeUndefined();
    expect(await countIn("licenses", org)).toBe(0);
  });
});
