import type { webhookStatistics } from "@countersign/contract/manage/webhook-shapes";
import { dayMs } from "@countersign/domain/dates/lengths";
import {
  countAttempts,
  countDeliveries,
  type IsOver,
  newestDurations,
} from "@countersign/store/queries/webhooks/statistics";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import type { OrganizationContext } from "../../../api/context.ts";
import { findEndpoint } from "./endpoints.ts";

const days = 7;
/** Durations come from the newest attempts: sorting all of them would take far longer than counting them. */
const maxTimed = 2_000;
/** After this the response says "at least". Millions take less. */
const countingTimeoutMs = 4_000;

interface Counts {
  readonly delivered: number;
  readonly failed: number;
  readonly attempts: number;
  readonly succeeded: number;
}

export async function endpointStatistics(
  context: OrganizationContext,
  endpointId: string,
): Promise<z.input<typeof webhookStatistics>> {
  const { nowMs, store, request } = context;
  const db = store.listReads;
  const { id } = await findEndpoint(db, context, endpointId);
  const always = { fromMs: null, beforeMs: null };
  const isGone = () => request.signal.aborted;
  const pending = await countDeliveries(db, id, "pending", always, isGone);
  const held = await countDeliveries(db, id, "held", always, isGone);
  const startedMs = performance.now();
  const isOver = () => performance.now() - startedMs > countingTimeoutMs || isGone();
  const counted: Counts[] = [];
  let wholeDays = 0;
  while (counted.length < days && !isOver()) {
    counted.push(await countDay(db, id, nowMs, counted.length, isOver));
    if (!isOver()) wholeDays += 1;
  }
  const spanOf = async (length: number) => ({
    ...show(counted.slice(0, length)),
    counts_are_exact: wholeDays >= length,
    ...(await durations(db, id, nowMs - length * dayMs)),
  });
  return { last_24_hours: await spanOf(1), last_7_days: await spanOf(days), pending, held };
}

/** The day that ended this many days ago. The newest has no end, because other nodes' clocks may be ahead. */
async function countDay(
  db: Database,
  id: string,
  nowMs: number,
  daysAgo: number,
  isOver: IsOver,
): Promise<Counts> {
  const endMs = nowMs - daysAgo * dayMs;
  const span = { fromMs: endMs - dayMs, beforeMs: daysAgo === 0 ? null : endMs };
  return {
    delivered: await countDeliveries(db, id, "delivered", span, isOver),
    failed: await countDeliveries(db, id, "failed", span, isOver),
    ...(await countAttempts(db, id, span, isOver)),
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
  const newest = await newestDurations(db, id, sinceMs, maxTimed);
  const sorted = newest.map(({ duration_ms: ms }) => ms).sort((a, b) => a - b);
  return { median_ms: percentile(sorted, 0.5), p95_ms: percentile(sorted, 0.95) };
}

/** The smallest of the sorted numbers that is not exceeded by this part of them. */
function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
