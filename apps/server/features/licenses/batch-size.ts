import { invalid } from "../../http/problem.ts";
import type { Draft } from "./draft.ts";

/**
 * Free-form data is stored with each license, included in its event and returned. So one request writes at most this
 * much of it, however many licenses share it.
 */
const mostBytes = 8 * 1024 * 1024;
/** The same for one transaction: on SQLite everyone else waits for it. */
const bytesAtOnce = 256 * 1024;

/** The number of bytes in a license's free-form fields. */
function freeFormBytes({ metadata, customOverride, notes }: Draft): number {
  return byteLength(metadata) + byteLength(customOverride) + byteLength(notes);
}

/** Rejects a request that would write too much, and says by how much. */
export function checkTotalSize(drafts: readonly Draft[]): void {
  const total = totalOf(drafts);
  if (total <= mostBytes) return;
  throw invalid(longestField(drafts), "too_large_in_total", {
    bytes: total,
    licenses: drafts.length,
    max: mostBytes,
  });
}

function longestField(drafts: readonly Draft[]): string {
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
export function endOfBatch(drafts: readonly Draft[], start: number, most: number): number {
  let end = start;
  for (let bytes = 0; end < drafts.length && end - start < most; end++) {
    const draft = drafts[end];
    bytes += draft === undefined ? 0 : freeFormBytes(draft);
    if (bytes > bytesAtOnce && end > start) break;
  }
  return end;
}

/** The same backwards: where a batch that ends here starts. */
export function startOfBatch(drafts: readonly Draft[], end: number, most: number): number {
  const backwards = drafts.slice(Math.max(0, end - most), end).reverse();
  return end - endOfBatch(backwards, 0, most);
}

function totalOf(drafts: readonly Draft[]): number {
  return drafts.reduce((sum, draft) => sum + freeFormBytes(draft), 0);
}

function byteLength(text: string | null | undefined): number {
  return text === null || text === undefined ? 0 : Buffer.byteLength(text);
}
