import type { Bulk } from "../../bulk.ts";
import { openText, sealText } from "../../sealed-columns.ts";
import type { Database } from "../../store.ts";
import type { DeliveryAttemptRow, DeliveryRow, StoredAttemptRow } from "../../tables/events.ts";
import { isPending } from "./claim-deliveries.ts";

/** The result of an attempt, and the next state of its delivery. */
export interface DeliveryResult {
  readonly attempt: DeliveryAttemptRow;
  readonly state: DeliveryRow["state"];
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
}

/** Records attempts. A delivery that another node has claimed since is left to it. */
export async function writeResults(
  db: Database,
  bulk: Bulk,
  claimant: string,
  results: readonly DeliveryResult[],
  nowMs: number,
): Promise<void> {
  const attempts = results.map((result) => sealAttempt(db, result.attempt));
  // Some may already be written, by a transaction whose outcome is unknown.
  await bulk.insert(db, "delivery_attempts", attempts, "(id) do nothing");
  await writeDeliveries(db, bulk, claimant, results, nowMs);
}

export function sealAttempt(db: Database, { response_body, ...rest }: DeliveryAttemptRow): StoredAttemptRow {
  // Most receivers return nothing: empty text need not be encrypted.
  return { ...rest, sealed_response: response_body ? sealText(db, response_body) : response_body };
}

export function openAttempt(
  db: Database,
  { sealed_response, ...rest }: StoredAttemptRow,
): DeliveryAttemptRow {
  return { ...rest, response_body: sealed_response ? openText(db, sealed_response) : sealed_response };
}

/** Only updates the deliveries. */
export async function writeDeliveries(
  db: Database,
  bulk: Bulk,
  claimant: string,
  results: readonly DeliveryResult[],
  nowMs: number,
): Promise<void> {
  for (const alike of groups(results)) {
    const [first] = alike;
    if (first === undefined) continue;
    await db
      .updateTable("deliveries")
      .set({
        state: first.state,
        attempts: first.attempts,
        next_attempt_at: first.nextAttemptAt,
        last_status: first.attempt.status,
        finished_at: first.state === "pending" ? null : nowMs,
        claimed_by: null,
        claimed_until: null,
      })
      .where(bulk.among("id", alike.map((result) => result.attempt.delivery_id).toSorted()))
      .where("claimed_by", "=", claimant)
      .where(isPending)
      .execute();
  }
}

/** Those with the same result share one statement: most are delivered on the first attempt with 200. */
function groups(results: readonly DeliveryResult[]): DeliveryResult[][] {
  const byEnd = Map.groupBy(results, ({ state, attempts, nextAttemptAt, attempt }) =>
    [state, attempts, nextAttemptAt, attempt.status].join(),
  );
  return [...byEnd.values()];
}

/** What a batch of attempts says about their endpoint. */
export interface EndpointChange {
  readonly endpointId: string;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  /** The first failure without a later success; null if the last attempt succeeded. */
  readonly failingSince: number | null;
}

/** Records it, and returns the endpoint as it is stored then; nothing if it is gone. */
export async function recordEndpointChange(db: Database, news: EndpointChange) {
  const { endpointId, lastSuccessAt, lastFailureAt, failingSince } = news;
  return db
    .updateTable("webhook_endpoints")
    .set((row) => ({
      failing_since:
        lastSuccessAt !== null ? failingSince : row.fn.coalesce("failing_since", row.val(failingSince)),
      ...(lastSuccessAt === null ? {} : { last_success_at: lastSuccessAt }),
      ...(lastFailureAt === null ? {} : { last_failure_at: lastFailureAt }),
    }))
    .where("id", "=", endpointId)
    .returningAll()
    .executeTakeFirst();
}
