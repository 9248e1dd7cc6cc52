import { removeAnswersOfTokens } from "@countersign/store/queries/api/idempotency";
import {
  type AuditPosition,
  closeOrganization,
  emptyAuditEntries,
  finishRemoval,
  organizationsToRemove,
} from "@countersign/store/queries/organizations/remove";
import { removeSome } from "@countersign/store/queries/organizations/remove-data";
import type { Store } from "@countersign/store/store";
import { neverAborted, restingSteps } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { auditWithoutRequest } from "../audit-log/record.ts";
import { recipientById, writeEmail } from "../mail/email.ts";
import { deletedEmail } from "./emails.ts";

/** The request log; on SQLite a separate file, which another thread writes. */
export interface JournalOfOrganizations {
  deleteOrganization(organizationId: string): Promise<void>;
}

/** Small enough that a validation, which waits for it on SQLite, does not wait long. */
const rowsAtATime = 50;
const answersAtATime = 20;
/** Requests answered before the end are logged a little later, by every node. */
export const settledAfterMs = 3_000;

/**
 * Removes organizations whose grace period is over. From the first transaction on, the organization no longer exists
 * for anyone. Its data is deleted after that, a little at a time; a node that stops leaves the rest to the next, and
 * several nodes can run this.
 */
export function organizationRemoval(store: Store, journal: JournalOfOrganizations): PeriodicJob {
  const step = restingSteps(store);
  const run = async (stopping = neverAborted) => {
    const nowMs = await store.clock();
    for (const { id, deleted_at: deletedAt } of await organizationsToRemove(store.reads, nowMs)) {
      if (deletedAt === null && !(await end(id, nowMs))) continue;
      await empty(id, stopping);
      const isSettled = (deletedAt ?? nowMs) <= nowMs - settledAfterMs;
      if (isSettled && !stopping.aborted) await finish(id, stopping);
      if (stopping.aborted) return;
    }
  };

  /** The moment from which it no longer exists. False if its deletion was cancelled, or another node was faster. */
  const end = async (id: string, nowMs: number): Promise<boolean> => {
    // Stored responses are found by the tokens that requested them, which are deleted in the transaction below; there
    // can be many large ones.
    while ((await step((db) => removeAnswersOfTokens(db, id, answersAtATime))) === answersAtATime);
    return store.transaction(async (db) => {
      const organization = await closeOrganization(db, id, nowMs);
      if (organization === undefined) return false;
      await auditWithoutRequest(db, { kind: "system", name: "Countersign" }, nowMs, {
        action: "organization.deleted",
        subject: { kind: "organization", id, name: organization.name },
        before: { slug: organization.slug, owner_id: organization.owner_id },
        organizationId: id,
      });
      const owner = await recipientById(db, organization.owner_id);
      if (owner !== undefined) await writeEmail(db, deletedEmail(owner, organization), nowMs);
      return true;
    });
  };

  const empty = async (id: string, stopping: AbortSignal) => {
    while (!stopping.aborted && (await step((db) => removeSome(db, id, rowsAtATime))));
    let position: AuditPosition | null = null;
    do {
      const after: AuditPosition | null = position;
      position = await step((db) => emptyAuditEntries(db, id, after, rowsAtATime));
    } while (position !== null && !stopping.aborted);
  };

  const finish = async (id: string, stopping: AbortSignal) => {
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    stopping.addEventListener("abort", () => stop(), { once: true });
    await Promise.race([journal.deleteOrganization(id), stopped]);
    if (stopping.aborted) return;
    await store.transaction((db) => finishRemoval(db, id));
  };

  return { name: "organization removal", everyMs: 5_000, run };
}
