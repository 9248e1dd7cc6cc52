import { type Failure, failure } from "@countersign/contract/problems/failures";
import { failingForMs, nextAttemptAtMs } from "@countersign/domain/webhooks/delivery";
import { newId } from "@countersign/store/new-id";
import {
  type ClaimedDelivery,
  releaseDeliveries,
} from "@countersign/store/queries/webhooks/claim-deliveries";
import {
  type DeliveryResult,
  type EndpointChange,
  recordEndpointChange,
  writeDeliveries,
  writeResults,
} from "@countersign/store/queries/webhooks/deliveries";
import { openEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import { holdDeliveries } from "@countersign/store/queries/webhooks/hold-deliveries";
import type { Database, Store } from "@countersign/store/store";
import type { DeliveryAttemptRow } from "@countersign/store/tables/events";

import { reasonOf } from "../../../base/log.ts";
import type { Sent } from "./request.ts";
import { type Answer, leaseMs } from "./send.ts";
import { type SwitchContext, switchOff } from "./switch.ts";

export interface RecordingParts {
  readonly store: Store;
  readonly claimant: string;
  readonly url: string;
  readonly random: () => number;
  /** Called for what the database rejects. */
  readonly refused: (refusal: Refusal) => void;
}

export interface Refusal {
  readonly deliveryId: string;
  readonly endpointId: string | null;
  readonly reason: string;
  /** Nothing could be recorded: the delivery is free when its claim expires. */
  readonly isOver: boolean;
}

/** After this many rejections without a success, it is not these results that are at fault. */
const maxRefusals = 20;

/**
 * Records attempts, all together. If the database responds but rejects that, per endpoint, and for a rejected endpoint
 * one by one: one that cannot be stored must not block the others. Returns those that are done, recorded or given up; a
 * delivery that was given up is free when its claim expires. The others are retried. Throws if the database does not
 * respond.
 */
export async function recordResults(
  parts: RecordingParts,
  results: readonly DeliveryResult[],
): Promise<readonly DeliveryResult[]> {
  const { store, claimant, refused } = parts;
  const write = async (work: (db: Database, context: SwitchContext) => Promise<void>) => {
    const context = { nowMs: await store.clock(), url: parts.url, random: parts.random() };
    await store.transaction((db) => work(db, context), "soon");
  };
  const record = (batch: readonly DeliveryResult[]) =>
    write((db, context) => recordAttempts(db, parts, batch, context));
  try {
    await record(results);
    return results;
  } catch {
    // Reading the clock shows whether the database is available at all.
    await store.clock();
  }
  const done: DeliveryResult[] = [];
  const doubtful: DeliveryResult[] = [];
  for (const ofEndpoint of Map.groupBy(results, (result) => result.attempt.endpoint_id).values()) {
    const isRefused =
      ofEndpoint.length === results.length || (await refusals(store, [() => record(ofEndpoint)])).length > 0;
    (isRefused ? doubtful : done).push(...ofEndpoint);
  }
  const hopeless: { result: DeliveryResult; reason: string }[] = [];
  for (const result of doubtful) {
    const ways = [
      () => record([result]),
      () => record([{ ...result, attempt: withoutTexts(result.attempt) }]),
      () => write((db, { nowMs }) => writeDeliveries(db, store.bulk, claimant, [result], nowMs)),
    ];
    const reasons = await refusals(store, ways);
    const [reason] = reasons;
    if (reason !== undefined && reasons.length === ways.length) hopeless.push({ result, reason });
    else {
      done.push(result);
      if (reason !== undefined) refused(refusalOf(result, reason, false));
    }
    if (done.length === 0 && hopeless.length === maxRefusals) break;
  }
  const nowMs = await store.clock();
  for (const { result, reason } of hopeless) {
    // As long as nothing at all can be written, it is kept: the disk may be full.
    if (done.length === 0 && nowMs < result.attempt.at + leaseMs) continue;
    refused(refusalOf(result, reason, true));
    done.push(result);
  }
  return done;
}

/**
 * Releases deliveries that were not sent, all together, or one by one if the database rejects that. A rejected one is
 * free when its claim expires. Throws if the database does not respond.
 */
export async function releaseClaims(
  { store, claimant, refused }: Pick<RecordingParts, "store" | "claimant" | "refused">,
  ids: readonly string[],
): Promise<void> {
  const release = (deliveryIds: readonly string[]) => async () => {
    const nowMs = await store.clock();
    await store.transaction((db) => releaseDeliveries(db, store.bulk, deliveryIds, claimant, nowMs), "soon");
  };
  if ((await refusals(store, [release(ids)])).length === 0) return;
  for (const id of ids) {
    const [reason] = await refusals(store, [release([id])]);
    if (reason !== undefined) refused({ deliveryId: id, endpointId: null, reason, isOver: true });
  }
}

/** Tries one way after the other until one succeeds; returns why the earlier ones failed. */
async function refusals(store: Store, ways: readonly (() => Promise<void>)[]): Promise<string[]> {
  const reasons: string[] = [];
  for (const way of ways) {
    try {
      await way();
      break;
    } catch (error) {
      await store.clock();
      reasons.push(reasonOf(error));
    }
  }
  return reasons;
}

function refusalOf({ attempt }: DeliveryResult, reason: string, isOver: boolean): Refusal {
  return { deliveryId: attempt.delivery_id, endpointId: attempt.endpoint_id, reason, isOver };
}

/** A completed attempt. */
interface Attempt extends Sent {
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
async function recordAttempts(
  db: Database,
  { store, claimant }: Pick<RecordingParts, "store" | "claimant">,
  results: readonly DeliveryResult[],
  context: SwitchContext,
): Promise<void> {
  const { nowMs } = context;
  const disabled: string[] = [];
  for (const change of changesOf(results)) {
    const endpoint = await recordEndpointChange(db, change);
    if (endpoint === undefined || endpoint.status !== "enabled" || change.failingSince === null) continue;
    const isFailing = endpoint.failing_since !== null && nowMs - endpoint.failing_since >= failingForMs;
    if (!change.isGone && !isFailing) continue;
    await switchOff(db, openEndpoint(db, endpoint), change.isGone ? "gone" : "failing", context);
    disabled.push(endpoint.id);
  }
  await writeResults(db, store.bulk, claimant, results, nowMs);
  for (const endpointId of disabled) await holdDeliveries(db, endpointId, nowMs);
}

/** In the order of the endpoints. */
function changesOf(results: readonly DeliveryResult[]): (EndpointChange & { readonly isGone: boolean })[] {
  const byEndpoint = Map.groupBy(results, (result) => result.attempt.endpoint_id);
  return [...byEndpoint.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([endpointId, attempts]) => {
      const inOrder = attempts.map(endOf).sort((a, b) => a.atMs - b.atMs);
      const lastSuccess = inOrder.findLastIndex((end) => end.isSuccess);
      const failures = inOrder.filter((end) => !end.isSuccess);
      return {
        endpointId,
        lastSuccessAt: inOrder[lastSuccess]?.atMs ?? null,
        lastFailureAt: failures.at(-1)?.atMs ?? null,
        failingSince: inOrder[lastSuccess + 1]?.atMs ?? null,
        isGone: attempts.some((result) => result.attempt.status === 410),
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
