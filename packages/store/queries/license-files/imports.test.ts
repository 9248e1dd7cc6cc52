import { expect, test } from "bun:test";
import { importRow } from "../../../../tests/support/import-row.ts";
import { listed } from "../../../../tests/support/listed.ts";
import { idsOf, onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { ImportRow } from "../../tables/license-files.ts";
import * as imports from "./imports.ts";
import * as rejects from "./rejects.ts";

onBothDatabases("imports", (fixture) => {
  const { read, write } = fixture.queries({ ...imports, ...rejects });
  const add = async (...settings: Parameters<typeof importRow>) => {
    const row = importRow(...settings);
    await write.addImport(row);
    return row;
  };
  const stored = (id: string) => read.importById(id);

  test("imports of a product are listed newest first, page by page, also those of one millisecond", async () => {
    const org = await fixture.organization();
    await add({ ...org, ...(await org.product()) });
    const ids = [newId(), newId(), newId()].sort();
    for (const [at, id] of ids.entries()) await add(org, { id, created_at: at === 0 ? 9 : 5 });
    type Last = { created_at: number; id: string } | null;
    const found = await pages((last: Last) =>
      read.importsOf(org.productId, {
        before: last && { createdAt: last.created_at, id: last.id },
        limit: 2,
      }),
    );
    expect(found.map(idsOf)).toEqual([[ids[0], ids[2]], [ids[1]]] as string[][]);
  });

  test("imports of an organization are listed newest first with their products, once the file has arrived", async () => {
    const org = await fixture.organization();
    await add(await fixture.organization());
    const [old, receiving, young] = [await add(org), await add(org, { state: "receiving" }), await add(org)];
    const list = (beforeId: string | null) =>
      read.importsOfOrganization(org.organizationId, { beforeId, limit: 5 });
    const all = await list(null);
    expect(idsOf(all)).toEqual([young.id, old.id]);
    expect(all[0]?.product_name).toBe("Test Product");
    expect(idsOf(await list(young.id))).toEqual([old.id]);
    expect(await stored(receiving.id)).toEqual(receiving);
  });

  test("imports are changed only by the worker that has claimed them", async () => {
    const { id } = await add(await fixture.organization(), { claimed_by: "second" });
    const change = (claimant: string) => write.updateImport(id, claimant, { rows_done: 7 });
    expect(await change("first")).toBe(false);
    expect(await stored(id)).toMatchObject({ rows_done: 0 });
    await write.releaseImport(id, "first");
    expect(await stored(id)).toMatchObject({ claimed_by: "second" });
    expect(await change("second")).toBe(true);
    await write.releaseImport(id, "second");
    expect(await stored(id)).toMatchObject({ rows_done: 7, claimed_by: null, claimed_until: 0 });
  });

  test("imports are claimed one at a time, the one that waited longest first, each by one worker", async () => {
    const org = await fixture.organization();
    // Before all times that other tests use.
    const nowMs = -1_000;
    const second = await add(org, { claimed_until: nowMs - 5 });
    const first = await add(org, { claimed_until: nowMs - 9, claimed_by: "killed" });
    await add(org, { claimed_until: nowMs });
    await add(org, { claimed_until: nowMs - 99, finished_at: 1 });
    expect(await read.isImportWaiting(nowMs)).toBe(true);
    const claim = (claimant: string) => write.claimImport(claimant, nowMs, nowMs + 50);
    expect(await claim("a")).toMatchObject({ id: first.id, claimed_by: "a", claimed_until: nowMs + 50 });
    const both = await Promise.all([claim("b"), claim("c")]);
    expect(both.flatMap((row) => row?.id ?? [])).toEqual([second.id]);
    expect(await read.isImportWaiting(nowMs)).toBe(false);
  });

  test("imports can be cancelled until they have ended or are undone", async () => {
    const org = await fixture.organization();
    for (const [index, state] of listed("waiting checking writing undoing finished failed").entries()) {
      const { id } = await add(org, { state: state as ImportRow["state"] });
      const answers = [await write.requestCancel(id, 5), await read.isCancelRequested(id)];
      expect([state, ...answers]).toEqual([state, index < 3, index < 3]);
    }
  });

  test.each([
    ["finished", true, {}],
    ["cancelled", true, {}],
    ["failed", false, {}],
    ["writing", false, {}],
    ["finished and undone already", false, { state: "finished", undo: "{}" }],
    ["finished too long ago", false, { state: "finished", keeps_until: 100 }],
  ] as const)("imports that are %s can be undone: %p", async (name, expected, changes) => {
    const over = { state: name as ImportRow["state"], finished_at: 1, keeps_until: 101, ...changes };
    const { id } = await add(await fixture.organization(), over);
    const ask = () => write.requestUndo(id, '{"deleted":0}', 100);
    const answers = await Promise.all([ask(), ask()]);
    expect(answers.sort()).toEqual([false, expected]);
    const queued = { state: "undoing", finished_at: null, claimed_until: 0 };
    expect(await stored(id)).toMatchObject(expected ? queued : { finished_at: 1 });
  });

  test("imports keep their file, rejected rows and list of changes until these are removed, a few at a time", async () => {
    const org = await fixture.organization();
    const [job, other] = [await add(org, { finished_at: 1 }), await add(org)];
    const reject = (number: number, errors = "[]") => {
      return { import_id: job.id, number, cells: JSON.stringify([`cell ${number}`]), errors };
    };
    const change = (import_id: string) => ({ import_id, license_id: newId(), before: null, written_at: 1 });
    const { bulk } = fixture.store;
    await fixture.write(async (db) => {
      for (let number = 0; number < 6; number++)
        await imports.addPiece(db, job.id, number, `piece ${number}`);
      await imports.addPiece(db, other.id, 0, "other");
      await rejects.addRejects(db, bulk, [reject(0), reject(3), reject(2)]);
      // A check that starts over finds the same rows.
      await rejects.addRejects(db, bulk, [reject(3, '["again"]')]);
      await bulk.insert(db, "import_undo", [change(job.id), change(job.id), change(other.id)]);
    });
    expect(await read.pieceOf(job.id, 1)).toBe("piece 1");
    expect(await read.pieceOf(job.id, 6)).toBeNull();
    expect(await read.importWithFileLeft()).toBe(job.id);
    expect(await read.rejectedHeader(job.id)).toEqual(["cell 0"]);
    expect(await read.rejectedHeader(other.id)).toEqual([]);
    const rejected = async (after: number, limit: number) =>
      (await read.rejectsOf(job.id, { after, limit })).map(({ number, errors }) => [number, errors]);
    expect(await rejected(0, 1)).toEqual([[2, "[]"]]);
    expect(await rejected(2, 9)).toEqual([[3, '["again"]']]);
    expect(await read.undoOf(job.id, 9)).toHaveLength(2);
    expect(await write.removeUndo(job.id, 1)).toBe(1);
    let steps = 0;
    while (await write.removeSomeWorkings(job.id)) steps += 1;
    // The changes, the rejected rows, and the file in two steps.
    expect(steps).toBe(4);
    expect(await read.importWithFileLeft()).not.toBe(job.id);
    expect(await read.pieceOf(other.id, 0)).toBe("other");
    expect(await read.undoOf(other.id, 9)).toHaveLength(1);
    await write.removeImport(job.id);
    expect(await stored(job.id)).toBeUndefined();
  });

  test("imports are cleared once their data can no longer be requested, the oldest first", async () => {
    const org = await fixture.organization();
    const at = -50_000;
    const late = await add(org, { keeps_until: at - 1, finished_at: 1 });
    const early = await add(org, { keeps_until: at - 2, finished_at: 1 });
    await add(org, { keeps_until: at - 3 });
    await add(org, { keeps_until: at, finished_at: 1 });
    for (const { id } of [early, late]) {
      expect(await read.importToClear(at)).toBe(id);
      await write.clearKeepsUntil(id);
    }
    expect(await read.importToClear(at)).toBeNull();
  });
});
