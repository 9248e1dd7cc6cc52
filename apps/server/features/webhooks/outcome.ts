import { type Failure, failure } from "@countersign/contract/problems/failures";
import { failingForMs, nextAttemptAtMs } from "@countersign/domain/webhooks/schedule";
import type { Bulk } from "@countersign/store/bulk";
import { newId } from "@countersign/store/new-id";
import type { ClaimedDelivery } from "@countersign/store/queries/webhooks/claim-deliveries";
import {
  type DeliveryResult,
  type EndpointChange,
  recordEndpointChange,
  writeResults,
} from "@countersign/store/queries/webhooks/delivery-results";
import { openEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import { holdDeliveries } from "@countersign/store/queries/webhooks/hold-deliveries";
import type { Database } from "@countersign/store/store";
import type { DeliveryAttemptRow } from "@countersign/store/tables/events";
import type { Sent } from "./request.ts";
import type { Answer } from "./send.ts";
import { type SwitchContext, switchOff } from "./switch.ts";

/** A completed attempt. */
export interface Attempt extends Sent {
  readonly delivery: ClaimedDelivery;
  readonly atMs: number;
}

export function succeeded({ status }: Pick<Answer, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The next state of the delivery. `random` spreads the next attempt. */
export function resultOf(attempt: Attempt, random: number): DeliveryResult {
  const row = attemptRow(attempt);
  const attempts = attempt.delivery.attempts + 1;
  const isDelivered = succeeded(attempt.answer);
  const nextAttemptAt = isDelivered ? null : nextAttemptAtMs(attempts, row.at + row.duration_ms, random);
  return {
    attempt: row,
    state: isDelivered ? "delivered" : nextAttemptAt === null ? "failed" : "pending",
    attempts,
    nextAttemptAt,
  };
}

/** As it is logged. */
export function attemptRow({ delivery, atMs, durationMs, headers, answer }: Attempt): DeliveryAttemptRow {
  return {
    id: newId(),
    delivery_id: delivery.id,
    endpoint_id: delivery.endpoint_id,
    at: atMs,
    duration_ms: Math.round(durationMs),
    request_headers: JSON.stringify(headers),
    status: answer.status,
    response_body: answer.body,
    failure: stored(answer.failure ?? (succeeded(answer) ? null : failureOf(answer.status))),
  };
}

/** Without most of the untrusted text, if the database rejects it. */
export function withoutTexts(attempt: DeliveryAttemptRow): DeliveryAttemptRow {
  return {
    ...attempt,
    request_headers: "{}",
    response_body: null,
    failure: stored(failure("webhook_result_not_stored")),
  };
}

/**
 * Records a batch of attempts, and disables endpoints that returned 410 or have failed for days. Endpoints come first
 * and in order, as everywhere else, so that two nodes never deadlock.
 */
export async function recordAttempts(
  db: Database,
  bulk: Bulk,
  claimant: string,
  results: readonly DeliveryResult[],
  context: SwitchContext,
): Promise<void> {
  const { nowMs } = context;
  const disabled: string[] = [];
  for (const news of changeOf(results)) {
    const endpoint = await recordEndpointChange(db, news);
    if (endpoint === undefined || endpoint.status !== "enabled" || news.failingSince === null) continue;
    const isFailing = endpoint.failing_since !== null && nowMs - endpoint.failing_since >= failingForMs;
    if (!news.isGone && !isFailing) continue;
    await switchOff(db, openEndpoint(db, endpoint), news.isGone ? "gone" : "failing", context);
    disabled.push(endpoint.id);
  }
  await writeResults(db, bulk, claimant, results, nowMs);
  for (const endpointId of disabled) await holdDeliveries(db, endpointId, nowMs);
}

/** In the order of the endpoints. */
export function changeOf(
  results: readonly DeliveryResult[],
): (EndpointChange & { readonly isGone: boolean })[] {
  const byEndpoint = Map.groupBy(results, (result) => result.attempt.endpoint_id);
  return [...byEndpoint.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([endpointId, own]) => {
      const inOrder = own.map(endOf).sort((a, b) => a.atMs - b.atMs);
      const lastSuccess = inOrder.findLastIndex((end) => end.isSuccess);
      const failures = inOrder.filter((end) => !end.isSuccess);
      return {
        endpointId,
        lastSuccessAt: inOrder[lastSuccess]?.atMs ?? null,
        lastFailureAt: failures.at(-1)?.atMs ?? null,
        failingSince: inOrder[lastSuccess + 1]?.atMs ?? null,
        isGone: own.some((result) => result.attempt.status === 410),
      };
    });
}

function endOf({ attempt, state }: DeliveryResult) {
  return { atMs: attempt.at + attempt.duration_ms, isSuccess: state === "delivered" };
}

function failureOf(status: number | null): Failure | null {
  if (status === null) return null;
  if (status === 410) return failure("webhook_gone");
  return failure(status >= 300 && status < 400 ? "webhook_redirected" : "webhook_status", { status });
}

function stored(why: Failure | null): string | null {
  return why === null ? null : JSON.stringify(why);
}
