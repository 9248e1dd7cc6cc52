import { releaseDeliveries } from "@countersign/store/queries/webhooks/claim-deliveries";
import { type DeliveryResult, writeDeliveries } from "@countersign/store/queries/webhooks/deliveries";
import type { Database, Store } from "@countersign/store/store";
import { reasonOf } from "../../base/log.ts";
import { recordAttempts, withoutTexts } from "./outcome.ts";
import { leaseMs } from "./send.ts";
import type { SwitchContext } from "./switch.ts";

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
const manyRefusals = 20;

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
  try {
    await write((db, context) => recordAttempts(db, store.bulk, claimant, results, context));
    return results;
  } catch {
    // Reading the clock shows whether the database is available at all.
    await store.clock();
  }
  const over: DeliveryResult[] = [];
  const doubtful: DeliveryResult[] = [];
  for (const own of Map.groupBy(results, (result) => result.attempt.endpoint_id).values()) {
    const together = () => write((db, context) => recordAttempts(db, store.bulk, claimant, own, context));
    const isRefused = own.length < results.length && (await refusals(store, [together])).length > 0;
    if (isRefused || own.length === results.length) doubtful.push(...own);
    else over.push(...own);
  }
  const hopeless: { result: DeliveryResult; reason: string }[] = [];
  for (const result of doubtful) {
    const ways = [
      () => write((db, context) => recordAttempts(db, store.bulk, claimant, [result], context)),
      () => write((db, context) => recordAttempts(db, store.bulk, claimant, [bare(result)], context)),
      () => write((db, { nowMs }) => writeDeliveries(db, store.bulk, claimant, [result], nowMs)),
    ];
    const reasons = await refusals(store, ways);
    const [reason] = reasons;
    if (reason !== undefined && reasons.length === ways.length) hopeless.push({ result, reason });
    else {
      over.push(result);
      if (reason !== undefined) refused(refusalOf(result, reason, false));
    }
    if (over.length === 0 && hopeless.length === manyRefusals) break;
  }
  const nowMs = await store.clock();
  for (const { result, reason } of hopeless) {
    // As long as nothing at all can be written, it is kept: the disk may be full.
    if (over.length === 0 && nowMs < result.attempt.at + leaseMs) continue;
    refused(refusalOf(result, reason, true));
    over.push(result);
  }
  return over;
}

/**
 * Releases deliveries that were not sent, all together, or one by one if the database rejects that. A rejected one is
 * free when its claim expires. Throws if the database does not respond.
 */
export async function releaseClaims(
  { store, claimant, refused }: Pick<RecordingParts, "store" | "claimant" | "refused">,
  ids: readonly string[],
): Promise<void> {
  const release = (some: readonly string[]) => async () => {
    const nowMs = await store.clock();
    await store.transaction((db) => releaseDeliveries(db, store.bulk, some, claimant, nowMs), "soon");
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

function bare(result: DeliveryResult): DeliveryResult {
  return { ...result, attempt: withoutTexts(result.attempt) };
}
