import type { webhookStatistics } from "@countersign/contract/manage/webhook-shapes";
import { dayMs } from "@countersign/domain/dates/lengths";
import {
  countAttempts,
  countDeliveries,
  newestDurations,
} from "@countersign/store/queries/delivery-statistics";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import type { Context } from "../../http/manage/context.ts";
import { theEndpoint } from "./endpoints.ts";

const days = 7;
/** How long an attempt takes is told from so many of the newest: sorting them all would take far longer than counting. */
const mostTimed = 2_000;
/** Millions are counted in less. */
const longestMs = 4_000;

interface Counts {
  readonly delivered: number;
  readonly failed: number;
  readonly attempts: number;
  readonly succeeded: number;
}

/** Counts all there is from indexes, a day at a time: on SQLite nothing else is done on this thread meanwhile. */
export async function endpointStatistics(
  context: Context,
  endpointId: string,
): Promise<z.input<typeof webhookStatistics>> {
  const { nowMs, store, request } = context;
  const db = store.alongIndexes;
  const { id } = await theEndpoint(db, context, endpointId);
  const always = { fromMs: null, beforeMs: null };
  const pending = await countDeliveries(db, id, "pending", always);
  const held = await countDeliveries(db, id, "held", always);
  const startedMs = performance.now();
  const counted: Counts[] = [];
  while (counted.length < days) {
    counted.push(await countDay(db, id, nowMs, counted.length));
    if (performance.now() - startedMs > longestMs || request.signal.aborted) break;
  }
  const spanOf = async (length: number) => ({
    ...show(counted.slice(0, length)),
    counts_are_exact: counted.length >= length,
    ...(await durations(db, id, nowMs - length * dayMs)),
  });
  return { last_24_hours: await spanOf(1), last_7_days: await spanOf(days), pending, held };
}

/** The day that ended so many days ago; the newest has no end, for other clocks may be ahead. */
async function countDay(db: Database, id: string, nowMs: number, daysAgo: number): Promise<Counts> {
  const endMs = nowMs - daysAgo * dayMs;
  const span = { fromMs: endMs - dayMs, beforeMs: daysAgo === 0 ? null : endMs };
  return {
    delivered: await countDeliveries(db, id, "delivered", span),
    failed: await countDeliveries(db, id, "failed", span),
    ...(await countAttempts(db, id, span)),
  };
}

function show(counted: readonly Counts[]) {
  const sum = (name: keyof Counts) => counted.reduce((total, counts) => total + counts[name], 0);
  const attempts = sum("attempts");
  const succeeded = sum("succeeded");
  return {
    delivered: sum("delivered"),
    failed: sum("failed"),
    attempts,
    failed_attempts: attempts - succeeded,
    success_rate: attempts === 0 ? null : succeeded / attempts,
  };
}

async function durations(db: Database, id: string, sinceMs: number) {
  const newest = await newestDurations(db, id, sinceMs, mostTimed);
  const sorted = newest.map(({ duration_ms: ms }) => ms).sort((a, b) => a - b);
  return { median_ms: percentile(sorted, 0.5), p95_ms: percentile(sorted, 0.95) };
}

/** The smallest of the sorted numbers that so large a part of them does not exceed. */
function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
