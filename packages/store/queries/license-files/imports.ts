import type { Database } from "../../store.ts";
import type { ImportRow, ImportUndoRow } from "../../tables/license-files.ts";
import { removeSomeRejects } from "./rejects.ts";

export async function addImport(db: Database, row: ImportRow): Promise<void> {
  await db.insertInto("imports").values(row).execute();
}

export async function importById(db: Database, id: string) {
  return db.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Newest first. */
export async function importsOf(
  db: Database,
  productId: string,
  page: {
    readonly before: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<ImportRow[]> {
  let query = db.selectFrom("imports").selectAll().where("product_id", "=", productId);
  if (page.before !== null) {
    const { createdAt, id } = page.before;
    query = query.where((is) =>
      is.or([
        is("created_at", "<", createdAt),
        is.and([is("created_at", "=", createdAt), is("id", "<", id)]),
      ]),
    );
  }
  return query.orderBy("created_at", "desc").orderBy("id", "desc").limit(page.limit).execute();
}

/** Changes a job that `claimant` still holds, and returns whether it does: another worker may have taken over. */
export async function updateImport(
  db: Database,
  id: string,
  claimant: string,
  changes: Partial<ImportRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("imports")
    .set(changes)
    .where("id", "=", id)
    .where("claimed_by", "=", claimant)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Claims the oldest job without a worker, or whose worker was killed; nothing if there is none. */
export async function claimImport(db: Database, claimant: string, nowMs: number, untilMs: number) {
  const oldest = db
    .selectFrom("imports")
    .select("id")
    .where("finished_at", "is", null)
    .where("claimed_until", "<", nowMs)
    .orderBy("claimed_until")
    .limit(1);
  return db
    .updateTable("imports")
    .set({ claimed_by: claimant, claimed_until: untilMs })
    .where("id", "in", oldest)
    .where("finished_at", "is", null)
    .where("claimed_until", "<", nowMs)
    .returningAll()
    .executeTakeFirst();
}

/** Whether there is a job to claim. Called often, so it does not lock. */
export async function isImportWaiting(db: Database, nowMs: number): Promise<boolean> {
  const row = await db
    .selectFrom("imports")
    .select("id")
    .where("finished_at", "is", null)
    .where("claimed_until", "<", nowMs)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Releases a job for another worker. */
export async function releaseImport(db: Database, id: string, claimant: string): Promise<void> {
  await db
    .updateTable("imports")
    .set({ claimed_by: null, claimed_until: 0 })
    .where("id", "=", id)
    .where("claimed_by", "=", claimant)
    .where("finished_at", "is", null)
    .execute();
}

/** The file of a finished import is no longer needed; a killed server may have left some. */
export async function importWithFileLeft(db: Database): Promise<string | null> {
  const row = await db
    .selectFrom("import_pieces")
    .innerJoin("imports", "imports.id", "import_pieces.import_id")
    .select("imports.id")
    .where("imports.finished_at", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** An import with data that no one can request any more. */
export async function importToClear(db: Database, nowMs: number): Promise<string | null> {
  const row = await db
    .selectFrom("imports")
    .select("id")
    .where("keeps_until", "<", nowMs)
    .where("finished_at", "is not", null)
    .orderBy("keeps_until")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function clearKeepsUntil(db: Database, id: string): Promise<void> {
  await db.updateTable("imports").set({ keeps_until: null }).where("id", "=", id).execute();
}

/** Asks the worker to stop; false if the import has ended, or is being undone. */
export async function requestCancel(db: Database, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("imports")
    .set({ cancel_requested_at: nowMs })
    .where("id", "=", id)
    .where("state", "in", ["waiting", "checking", "writing"])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function isCancelRequested(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("imports")
    .select("cancel_requested_at")
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined && row.cancel_requested_at !== null;
}

/** Queues a finished import again, to be undone. False if it is queued already. */
export async function requestUndo(db: Database, id: string, undo: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("imports")
    .set({
      state: "undoing",
      undo,
      finished_at: null,
      claimed_by: null,
      claimed_until: 0,
      updated_at: nowMs,
    })
    .where("id", "=", id)
    .where("state", "in", ["finished", "cancelled"])
    .where("undo", "is", null)
    .where("keeps_until", ">", nowMs)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function addPiece(db: Database, importId: string, number: number, body: string): Promise<void> {
  await db.insertInto("import_pieces").values({ import_id: importId, number, body }).execute();
}

export async function pieceOf(db: Database, importId: string, number: number): Promise<string | null> {
  const row = await db
    .selectFrom("import_pieces")
    .select("body")
    .where("import_id", "=", importId)
    .where("number", "=", number)
    .executeTakeFirst();
  return row?.body ?? null;
}

/** A chunk of a file can have a megabyte or more, and so can the previous values of a few hundred licenses. */
const piecesAtOnce = 4;
const undoAtOnce = 200;

/** Removes some temporary data, and returns whether there was any. The job itself stays. */
export async function removeSomeWorkings(db: Database, importId: string): Promise<boolean> {
  return (
    (await removeUndo(db, importId, undoAtOnce)) > 0 ||
    (await removeSomeRejects(db, importId, undoAtOnce)) ||
    (await removeSomePieces(db, importId))
  );
}

/** The same for the file only. */
export async function removeSomePieces(db: Database, importId: string): Promise<boolean> {
  const numbers = db
    .selectFrom("import_pieces")
    .select("number")
    .where("import_id", "=", importId)
    .orderBy("number")
    .limit(piecesAtOnce);
  const { numDeletedRows } = await db
    .deleteFrom("import_pieces")
    .where("import_id", "=", importId)
    .where("number", "in", numbers)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Newest first, of all products, with their names. */
export async function importsOfOrganization(
  db: Database,
  organizationId: string,
  page: { readonly beforeId: string | null; readonly limit: number },
) {
  let query = db
    .selectFrom("imports")
    .innerJoin("products", "products.id", "imports.product_id")
    .selectAll("imports")
    .select("products.name as product_name")
    .where("imports.organization_id", "=", organizationId)
    .where("imports.state", "<>", "receiving");
  if (page.beforeId !== null) query = query.where("imports.id", "<", page.beforeId);
  return query.orderBy("imports.id", "desc").limit(page.limit).execute();
}

/** Its temporary data must be gone. */
export async function removeImport(db: Database, importId: string): Promise<void> {
  await db.deleteFrom("imports").where("id", "=", importId).execute();
}

export async function undoOf(db: Database, importId: string, limit: number): Promise<ImportUndoRow[]> {
  return db
    .selectFrom("import_undo")
    .selectAll()
    .where("import_id", "=", importId)
    .orderBy("license_id")
    .limit(limit)
    .execute();
}

/** Removes up to `limit` of them and returns how many. */
export async function removeUndo(db: Database, importId: string, limit: number): Promise<number> {
  const ids = db
    .selectFrom("import_undo")
    .select("license_id")
    .where("import_id", "=", importId)
    .orderBy("license_id")
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("import_undo")
    .where("import_id", "=", importId)
    .where("license_id", "in", ids)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
