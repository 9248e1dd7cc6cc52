import type { webhookStatistics } from "@countersign/contract/manage/webhook-shapes";
import { countDeliveries, newestAttempts } from "@countersign/store/queries/delivery-log";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import type { Context } from "../../http/manage/context.ts";
import { theEndpoint } from "./endpoints.ts";
import { succeeded } from "./outcome.ts";

/** Whoever has more than this sees that there is more; what is read stays the same. */
const mostCounted = 10_000;
const mostAttempts = 2_000;

const dayMs = 86_400_000;

export async function endpointStatistics(
  context: Context,
  endpointId: string,
): Promise<z.input<typeof webhookStatistics>> {
  const db = context.store.alongIndexes;
  const { id } = await theEndpoint(db, context, endpointId);
  const pending = await countDeliveries(db, id, "pending", null, mostCounted + 1);
  const held = await countDeliveries(db, id, "held", null, mostCounted + 1);
  return {
    last_24_hours: await spanOf(db, id, context.nowMs - dayMs),
    last_7_days: await spanOf(db, id, context.nowMs - 7 * dayMs),
    pending: Math.min(pending, mostCounted),
    held: Math.min(held, mostCounted),
    pending_is_exact: Math.max(pending, held) <= mostCounted,
  };
}

async function spanOf(db: Database, id: string, sinceMs: number) {
  const delivered = await countDeliveries(db, id, "delivered", sinceMs, mostCounted + 1);
  const failed = await countDeliveries(db, id, "failed", sinceMs, mostCounted + 1);
  const attempts = await newestAttempts(db, id, sinceMs, mostAttempts);
  const durations = attempts.map((attempt) => attempt.duration_ms).sort((a, b) => a - b);
  const successes = attempts.filter(succeeded).length;
  return {
    delivered: Math.min(delivered, mostCounted),
    failed: Math.min(failed, mostCounted),
    counts_are_exact: Math.max(delivered, failed) <= mostCounted,
    attempts: attempts.length,
    failed_attempts: attempts.length - successes,
    success_rate: attempts.length === 0 ? null : successes / attempts.length,
    median_ms: percentile(durations, 0.5),
    p95_ms: percentile(durations, 0.95),
  };
}

/** The smallest of the sorted numbers that so large a part of them does not exceed. */
function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
