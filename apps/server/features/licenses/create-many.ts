import { createHmac, randomBytes } from "node:crypto";
import { generateLicenseKey } from "@countersign/domain/licenses/key";
import { newId } from "@countersign/store/new-id";
import { deleting } from "@countersign/store/queries/licenses/changes";
import { licenseViews, type ShownLicense, showLicense } from "@countersign/store/queries/licenses/views";
import type { ProductRow } from "@countersign/store/tables/products";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { Context, OrganizationContext } from "../../api/context.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { deliverLicenses } from "../mail/license-emails.ts";
import { checkLimit, currentLimit, limitReached } from "../plans/limits.ts";
import { applyChange, lockedLicenses } from "./change.ts";
import { addLicenses, checkKeysAreFree, type Draft, type IdentifiedDraft } from "./create.ts";

/** How many are created in one transaction, or fewer if they are long; on SQLite, validations wait while it runs. */
const batchSize = 100;
/** Writing an email takes longer than writing a license. */
const emailBatchSize = 25;

/** The progress. Stored with each batch, so that a repeat continues from here and creates nothing twice. */
interface Progress {
  /** The seed of IDs and keys. */
  readonly seed: string;
  /** When the first attempt began, from which durations count. */
  readonly nowMs: number;
  readonly made: number;
}

/**
 * Creates many licenses in batches, so that validations can run in between. All of them are checked before the first is
 * created; if a key is taken in the meantime, what was created is reverted.
 */
export async function createInBatches(
  context: OrganizationContext,
  product: ProductRow,
  draftsAt: (nowMs: number) => readonly Draft[],
  prefixOf: (index: number) => string,
): Promise<Response> {
  let progress = (context.progress() as Progress | null) ?? begin(context);
  let named = assignSeededIds(progress, draftsAt);
  try {
    await checkKeysAreFree(context.store.reads, product.id, named, prefixOf);
    await checkAllFit(context, named.length - progress.made);
    while (progress.made < named.length) {
      const before: Progress = progress;
      const batch = named.slice(before.made, endOfBatch(named, before.made, batchSize));
      progress = await context.step(async (db): Promise<Progress> => {
        await checkLimit(db, product.organization_id, "licenses", batch.length);
        await checkKeysAreFree(db, product.id, batch, (index) => prefixOf(before.made + index));
        await addLicenses(db, context, product, batch);
        return { ...before, made: before.made + batch.length };
      });
      // Another attempt of the same request was faster, and chose differently.
      if (progress.seed !== before.seed) named = assignSeededIds(progress, draftsAt);
      await yieldToEventLoop();
    }
  } catch (error) {
    // An interrupted request is completed by its repeat, if it can be recognized as one.
    if (error instanceof Problem || !context.request.headers.has("idempotency-key")) {
      await revertBatches(context, progress, named);
      await checkKeysAreFree(context.store.reads, product.id, named, prefixOf);
    }
    throw error;
  }
  await deliver(context, product, named);
  const data = await shown(context, named);
  await context.keep({ data, next_cursor: null });
  return streamed(data);
}

/** Before the first is created: each batch is checked again, under a lock. */
async function checkAllFit(context: OrganizationContext, count: number): Promise<void> {
  const limit = await currentLimit(context.store.reads, context.organization, "licenses");
  if (limit !== null && limit.used + count > limit.limit) throw limitReached("licenses", limit);
}

/** Only once none will be reverted. A repeat writes the missing emails, and none twice. */
async function deliver(
  context: Context,
  product: ProductRow,
  named: readonly IdentifiedDraft[],
): Promise<void> {
  if (product.deliver_license_by_email === 0) return;
  for (let start = 0; start < named.length; start += emailBatchSize) {
    const ids = named.slice(start, start + emailBatchSize).map(({ id }) => id);
    await context.store.transaction(
      (db) => deliverLicenses(db, product, ids, context.config, context.nowMs),
      start + emailBatchSize < named.length ? "soon" : "now",
    );
    await yieldToEventLoop();
  }
}

function begin({ nowMs }: Context): Progress {
  return { seed: randomBytes(32).toString("hex"), nowMs, made: 0 };
}

/** Gives each a random ID and key. */
export function assignRandomIds(drafts: readonly Draft[]): IdentifiedDraft[] {
  return drafts.map((draft) => ({
    ...draft,
    id: newId(),
    key: draft.key ?? generateLicenseKey(randomBytes),
  }));
}

/** The same, but deterministic for a given seed. */
function assignSeededIds(
  { seed, nowMs }: Progress,
  draftsAt: (nowMs: number) => readonly Draft[],
): IdentifiedDraft[] {
  const secret = Buffer.from(seed, "hex");
  return draftsAt(nowMs).map((draft, index) => {
    const bytes = createHmac("sha256", secret).update(String(index)).digest();
    return {
      ...draft,
      id: uuidOf(bytes.subarray(0, 16)),
      key: draft.key ?? generateLicenseKey(() => bytes.subarray(16, 26)),
    };
  });
}

async function shown(context: Context, named: readonly IdentifiedDraft[]): Promise<ShownLicense[]> {
  const data: ShownLicense[] = [];
  for (let start = 0; start < named.length; start += batchSize) {
    const ids = named.slice(start, start + batchSize).map(({ id }) => id);
    const views = await licenseViews(context.store.reads, ids);
    data.push(...views.map((view) => showLicense(view, context.nowMs)));
    await yieldToEventLoop();
  }
  return data;
}

/** Version 8: a custom ID. */
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

/** In reverse: if it is interrupted, a repeat continues from what is left. */
async function revertBatches(
  context: OrganizationContext,
  from: Progress,
  named: readonly IdentifiedDraft[],
): Promise<void> {
  for (let progress = from; progress.made > 0; ) {
    const before = progress;
    const start = startOfBatch(named, before.made, batchSize);
    const ids = named.slice(start, before.made).map(({ id }) => id);
    progress = await context.step(async (db): Promise<Progress> => {
      const licenses = await lockedLicenses(db, context, ids);
      await applyChange(db, context, { action: "license.deleted", change: deleting(), licenses });
      // IDs that were assigned and reverted are not assigned again.
      return start === 0 ? begin(context) : { ...before, made: start };
    });
    if (progress.seed !== before.seed) return;
  }
}

/** The response is generated while it is read: it can be ten megabytes. */
function streamed(data: readonly ShownLicense[]): Response {
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const batch = data.slice(next, next + batchSize).map((license) => JSON.stringify(license));
      const head = next === 0 ? '{"data":[' : batch.length > 0 ? "," : "";
      next += batchSize;
      controller.enqueue(encoder.encode(head + batch.join(",")));
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

/**
 * Free-form data is stored with each license, included in its event and returned. So one request writes at most this
 * much of it, however many licenses share it.
 */
const maxBytes = 8 * 1024 * 1024;
/** The same for one transaction: on SQLite everyone else waits for it. */
const bytesAtOnce = 256 * 1024;

/** The number of bytes in a license's free-form fields. */
function freeFormBytes({ metadata, customOverride, notes }: Draft): number {
  return byteLength(metadata) + byteLength(customOverride) + byteLength(notes);
}

/** Rejects a request that would write too much, and says by how much. */
export function checkTotalSize(drafts: readonly Draft[]): void {
  const total = totalOf(drafts);
  if (total <= maxBytes) return;
  throw invalid(maxField(drafts), "too_large_in_total", {
    bytes: total,
    licenses: drafts.length,
    max: maxBytes,
  });
}

function maxField(drafts: readonly Draft[]): string {
  const sizes = { metadata: 0, custom_override: 0, notes: 0 };
  for (const draft of drafts) {
    sizes.metadata += byteLength(draft.metadata);
    sizes.custom_override += byteLength(draft.customOverride);
    sizes.notes += byteLength(draft.notes);
  }
  return Object.entries(sizes).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}

/** Whether they fit into one transaction. */
export function fitInOneTransaction(drafts: readonly Draft[], most: number): boolean {
  return drafts.length <= most && totalOf(drafts) <= bytesAtOnce;
}

/** Where a batch that starts here ends: after this many, or earlier if they are long. */
function endOfBatch(drafts: readonly Draft[], start: number, most: number): number {
  let end = start;
  for (let bytes = 0; end < drafts.length && end - start < most; end++) {
    const draft = drafts[end];
    bytes += draft === undefined ? 0 : freeFormBytes(draft);
    if (bytes > bytesAtOnce && end > start) break;
  }
  return end;
}

/** The same backwards: where a batch that ends here starts. */
function startOfBatch(drafts: readonly Draft[], end: number, most: number): number {
  const backwards = drafts.slice(Math.max(0, end - most), end).reverse();
  return end - endOfBatch(backwards, 0, most);
}

function totalOf(drafts: readonly Draft[]): number {
  return drafts.reduce((sum, draft) => sum + freeFormBytes(draft), 0);
}

function byteLength(text: string | null | undefined): number {
  return text === null || text === undefined ? 0 : Buffer.byteLength(text);
}
