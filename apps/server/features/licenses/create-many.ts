import { createHmac, randomBytes } from "node:crypto";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { deleting } from "@countersign/store/queries/license-changes";
import { pause } from "@countersign/store/queries/license-list";
import { licenseViews } from "@countersign/store/queries/license-views";
import type { Database } from "@countersign/store/store";
import type { ProductRow } from "@countersign/store/tables";
import { actorId } from "../../http/manage/actor.ts";
import { type Context, theActor } from "../../http/manage/context.ts";
import { Problem } from "../../http/manage/problem.ts";
import { newId } from "../../new-id.ts";
import { applyChange, lockedRows } from "./change.ts";
import { addLicenses, checkKeysAreFree, type Named } from "./create.ts";
import type { Draft } from "./draft.ts";
import { type ShownLicense, showLicense } from "./show.ts";

/** So many are made in one transaction; while it lasts, validations wait on SQLite. */
const lotSize = 100;

/**
 * Makes many licenses, a lot at a time so that validations get their turn between. Nothing is wrong with any of them
 * when the first is made; should a key be taken meanwhile, what was made is taken back. With an `Idempotency-Key` the ids
 * and keys follow from it: whoever repeats a request that was interrupted gets the rest, and nothing twice.
 */
export async function createInLots(
  context: Context,
  product: ProductRow,
  drafts: readonly Draft[],
  prefixOf: (index: number) => string,
): Promise<Response> {
  const key = idempotencyKey(context);
  const named = key === null ? nameByChance(drafts) : nameByKey(context, key, drafts);
  await checkKeysAreFree(context.store.reads, product.id, named, prefixOf);
  const data: ShownLicense[] = [];
  try {
    for (let start = 0; start < named.length; start += lotSize) {
      const lot = named.slice(start, start + lotSize);
      const ids = lot.map(({ id }) => id);
      await createLot(context, product, lot, (index) => prefixOf(start + index));
      const views = await licenseViews(context.store.reads, ids);
      data.push(...views.map((view) => showLicense(view, context.nowMs)));
      await pause();
    }
  } catch (error) {
    // An interrupted request is completed by its repetition, if it can be told to be one.
    if (error instanceof Problem || key === null) {
      await takeBack(context, data);
      await checkKeysAreFree(context.store.reads, product.id, named, prefixOf);
    }
    throw error;
  }
  if (key !== null) {
    await context.transaction(async () => ({ data, next_cursor: null }));
  }
  return streamed(data);
}

async function createLot(
  context: Context,
  product: ProductRow,
  lot: readonly Named[],
  prefixOf: (index: number) => string,
  tries = 3,
): Promise<void> {
  try {
    await context.store.transaction(async (db) => {
      const missing = await notThere(db, lot);
      await checkKeysAreFree(db, product.id, lot, prefixOf);
      await addLicenses(db, context, product, missing);
    });
  } catch (error) {
    // The same request may be under way twice: what the other has made is there at the next try.
    if (error instanceof Problem || idempotencyKey(context) === null || tries === 1) throw error;
    await createLot(context, product, lot, prefixOf, tries - 1);
  }
}

/** Gives each an id and a key, by chance. */
export function nameByChance(drafts: readonly Draft[]): Named[] {
  return drafts.map((draft) => ({
    ...draft,
    id: newId(),
    key: draft.key ?? generateLicenseKey(randomBytes),
  }));
}

/** The same, but so that the same request gives the same. Nobody can work them out without the server's own secret. */
function nameByKey(context: Context, idempotencyKey: string, drafts: readonly Draft[]): Named[] {
  const { pathname } = new URL(context.request.url);
  const secret = context.store.sealer.secretFor(
    `licenses\n${actorId(theActor(context))}\n${pathname}\n${idempotencyKey}`,
  );
  return drafts.map((draft, index) => {
    const bytes = createHmac("sha256", secret).update(String(index)).digest();
    return {
      ...draft,
      id: uuidOf(bytes.subarray(0, 16)),
      key: draft.key ?? generateLicenseKey(() => bytes.subarray(16, 26)),
    };
  });
}

function idempotencyKey(context: Context): string | null {
  return context.request.headers.get("idempotency-key");
}

/** Version 8: an id made in a way of its own. */
function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) & 3);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20),
  ].join("-");
}

async function notThere(db: Database, lot: readonly Named[]): Promise<Named[]> {
  const rows = await db
    .selectFrom("licenses")
    .select("id")
    .where(
      "id",
      "in",
      lot.map(({ id }) => id),
    )
    .execute();
  const there = new Set(rows.map((row) => row.id));
  return lot.filter(({ id }) => !there.has(id));
}

async function takeBack(context: Context, made: readonly ShownLicense[]): Promise<void> {
  for (let start = 0; start < made.length; start += lotSize) {
    const ids = made.slice(start, start + lotSize).map(({ id }) => id);
    await context.store.transaction(async (db) => {
      const rows = await lockedRows(db, context, ids);
      await applyChange(db, context, "license.deleted", deleting(), rows);
    });
  }
}

/** The answer is written while it is read: it may be ten megabytes. */
function streamed(data: readonly ShownLicense[]): Response {
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const some = data.slice(next, next + lotSize).map((license) => JSON.stringify(license));
      const head = next === 0 ? '{"data":[' : some.length > 0 ? "," : "";
      next += lotSize;
      controller.enqueue(encoder.encode(head + some.join(",")));
      if (next < data.length) return;
      controller.enqueue(encoder.encode('],"next_cursor":null}'));
      controller.close();
    },
  });
  return new Response(body, {
    status: 201,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  });
}
