import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { countPendingTransfers, nextOrganizationToRemind } from "@countersign/store/queries/transfers/views";
import type { Database, Store } from "@countersign/store/store";
import { isSuspended } from "@countersign/store/tables/organizations";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { recipientById, writeEmail } from "../mail/email.ts";
import { transfersWaitingEmail } from "../mail/transfer-emails.ts";

/** A request that nobody decided on for this long is no longer a reason to write. */
const remindForMs = 30 * dayMs;
/** The email needs no exact number beyond this. */
const maxCounted = 1_000;

/** Emails owners of organizations every day on which transfers wait for review. Several nodes can run this. */
export function transferReminders(
  store: Store,
  url: string,
  clock: () => Promise<number> = () => store.clock(),
): PeriodicJob {
  const run = async (stopping = neverAborted) => {
    const nowMs = await clock();
    const next = (last = "") => nextOrganizationToRemind(store.reads, last, nowMs - remindForMs);
    for await (const [organizationId = ""] of slicesOf(1, stopping, next))
      await store.transaction((db) => remindOwner(db, organizationId, url, nowMs), "soon");
  };
  return { name: "transfer reminders", everyMs: hourMs, run };
}

/** Writes the owner the email of the day, unless it was written before. */
export async function remindOwner(
  db: Database,
  organizationId: string,
  url: string,
  nowMs: number,
): Promise<void> {
  const organization = await organizationById(db, organizationId);
  if (organization === undefined || organization.deleted_at !== null || isSuspended(organization)) return;
  const owner = await recipientById(db, organization.owner_id);
  const waiting = owner === undefined ? 0 : await countPendingTransfers(db, organizationId, maxCounted);
  if (owner === undefined || waiting === 0) return;
  const facts = {
    organizationId,
    organization: organization.name,
    waiting,
    day: quotaDay(nowMs),
    url: `${url}/o/${organization.slug}/transfers?state=pending`,
  };
  await writeEmail(db, transfersWaitingEmail(owner, facts), nowMs);
}
