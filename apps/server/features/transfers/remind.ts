import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { isSuspended } from "@countersign/store/is-suspended";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import {
  countPendingTransfers,
  nextOrganizationToRemind,
} from "@countersign/store/queries/transfers/transfers";
import type { Database, Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { neverAborted } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { writeEmail } from "../mail/email.ts";
import { recipientById } from "../mail/recipient.ts";
import { transfersWaitingEmail } from "../mail/transfer-emails.ts";

const everyMs = 60 * 60_000;
/** A request that nobody decided on for this long is no longer a reason to write. */
const remindForMs = 30 * dayMs;
/** The email needs no exact number beyond this. */
const mostCounted = 1_000;

/** Emails owners of organizations every day on which transfers wait for review. Several nodes can run this. */
export class TransferReminders implements PeriodicJob {
  readonly name = "transfer reminders";
  readonly everyMs = everyMs;
  readonly #store: Store;
  readonly #url: string;
  readonly #clock: () => Promise<number>;

  constructor(store: Store, url: string, clock = () => store.clock()) {
    this.#store = store;
    this.#url = url;
    this.#clock = clock;
  }

  async run(stopping = neverAborted): Promise<void> {
    const nowMs = await this.#clock();
    const next = (after: string) => nextOrganizationToRemind(this.#store.reads, after, nowMs - remindForMs);
    for (let id = await next(""); id !== null && !stopping.aborted; id = await next(id)) {
      const organizationId = id;
      await this.#store.transaction((db) => remindOwner(db, organizationId, this.#url, nowMs), "soon");
      await yieldToEventLoop();
    }
  }
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
  const waiting = owner === undefined ? 0 : await countPendingTransfers(db, organizationId, mostCounted);
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
