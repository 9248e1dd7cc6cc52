import { failingForMs, nextAttemptAtMs } from "@countersign/domain/webhooks/schedule";
import type { ClaimedDelivery } from "@countersign/store/queries/claim-deliveries";
import { holdDeliveries } from "@countersign/store/queries/deliveries";
import {
  type DeliveryResult,
  disableEndpoint,
  type EndpointNews,
  noteEndpointNews,
  writeResults,
} from "@countersign/store/queries/delivery-results";
import type { Database } from "@countersign/store/store";
import { newId } from "../../new-id.ts";
import { tellEndpointDisabled } from "../mail/endpoint-letters.ts";
import type { Answer } from "./send.ts";

/** An attempt that is over. */
export interface Attempt {
  readonly delivery: ClaimedDelivery;
  readonly atMs: number;
  readonly durationMs: number;
  /** As they are logged: the seller's own headers without their values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: Answer;
}

export function succeeded({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** What becomes of the delivery. `random` spreads the next attempt. */
export function resultOf(attempt: Attempt, random: number): DeliveryResult {
  const { delivery, atMs, headers, answer } = attempt;
  const durationMs = Math.round(attempt.durationMs);
  const attempts = delivery.attempts + 1;
  const isDelivered = succeeded(answer);
  const nextAttemptAt = isDelivered ? null : nextAttemptAtMs(attempts, atMs + Math.round(durationMs), random);
  return {
    attempt: {
      id: newId(),
      delivery_id: delivery.id,
      endpoint_id: delivery.endpoint_id,
      at: atMs,
      duration_ms: durationMs,
      request_headers: JSON.stringify(headers),
      status: answer.status,
      response_body: answer.body,
      problem: answer.problem ?? (isDelivered ? null : problemOf(answer.status)),
    },
    state: isDelivered ? "delivered" : nextAttemptAt === null ? "failed" : "pending",
    attempts,
    nextAttemptAt,
  };
}

/**
 * Writes a lot of attempts down, and disables the endpoints that want no more or have only failed for days. Endpoints
 * come first and in order, as everywhere else: two nodes never wait for each other.
 */
export async function noteAttempts(
  db: Database,
  claimant: string,
  results: readonly DeliveryResult[],
  nowMs: number,
  url: string,
): Promise<void> {
  const disabled: string[] = [];
  for (const news of newsOf(results)) {
    const endpoint = await noteEndpointNews(db, news);
    if (endpoint === undefined || endpoint.status !== "enabled" || news.failingSince === null) continue;
    const isFailing = endpoint.failing_since !== null && nowMs - endpoint.failing_since >= failingForMs;
    if (!news.isGone && !isFailing) continue;
    const reason = news.isGone ? "gone" : "failing";
    await disableEndpoint(db, endpoint, reason, nowMs);
    await tellEndpointDisabled(db, endpoint, reason, url, nowMs);
    disabled.push(endpoint.id);
  }
  await writeResults(db, claimant, results, nowMs);
  for (const endpointId of disabled) await holdDeliveries(db, endpointId, nowMs);
}

/** In the order of the endpoints. */
export function newsOf(results: readonly DeliveryResult[]): (EndpointNews & { readonly isGone: boolean })[] {
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

function problemOf(status: number | null): string {
  if (status === 410) return "The receiver wants no more events, and the endpoint was disabled.";
  if (status !== null && status >= 300 && status < 400)
    return "The answer was a redirect, which is not followed. Give the endpoint its final address.";
  return `The answer was ${status}. Any status from 200 to 299 means that the event has arrived.`;
}
