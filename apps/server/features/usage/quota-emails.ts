import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay, runsOutAt } from "@countersign/domain/quota/day";
import { initializeState, replaceState, stateOf } from "@countersign/store/queries/admin/platform-state";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import { productById } from "@countersign/store/queries/products/products";
import { usageSince } from "@countersign/store/queries/usage/daily";
import {
  addNotice,
  countNotices,
  type EventPosition,
  quotaEventsAfter,
  storedNotices,
} from "@countersign/store/queries/usage/quota-notices";
import type { Database, Store } from "@countersign/store/store";
import type { EventRow } from "@countersign/store/tables/events";
import type { QuotaNoticeRow } from "@countersign/store/tables/products";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { writeEmails } from "../mail/email.ts";
import { recipientsWith } from "../members/recipients.ts";
import { type QuotaFacts, quotaExhaustedEmail, quotaMoreEmail, quotaWarningEmail } from "./emails.ts";

const stateName = "quota_emails_until";
/** How far each check looks back, to find events that were committed after a later one. */
const lookBackMs = 120_000;
const eventsAtOnce = 100;
/** Per organization and day. One more says that there are more. */
const maxEmails = 10;

/** An event, and the notice that decides which node writes its email. */
interface Due {
  readonly event: EventRow;
  readonly notice: QuotaNoticeRow;
}

/**
 * Writes emails about products that have reached 80 % or all of their daily limit, to the owner and to members who
 * manage the billing: once per product, day and mark. Validations record the events; each check reads those since the
 * last one on any node. Nothing is written about a day that is over.
 */
export function quotaEmails(
  store: Store,
  url: string,
  clock: () => Promise<number> = () => store.clock(),
): PeriodicJob {
  const run = async (stopping = neverAborted) => {
    const untilMs = await clock();
    const known = await stateOf(store.reads, stateName);
    const state = known ?? (await store.transaction((db) => initializeState(db, stateName, String(untilMs))));
    const today = quotaDay(untilMs);
    // A check in the future was made before the clock was set back. Events before today are about a day that is over.
    const startMs = Math.max(Math.min(Number(state), untilMs) - lookBackMs, today * dayMs);
    const start: EventPosition = { at: startMs - 1, id: "" };
    const next = (last: EventPosition = start) => quotaEventsAfter(store.listReads, last, eventsAtOnce);
    for await (const events of slicesOf(eventsAtOnce, stopping, next))
      for (const due of await unwritten(store.reads, events, today)) {
        if (stopping.aborted) return;
        await store.transaction((db) => writeNotice(db, due, url, untilMs));
      }
    if (stopping.aborted) return;
    // Only from where it started: another node may be further ahead.
    await store.transaction((db) => replaceState(db, stateName, state, String(untilMs)), "soon");
  };
  return { name: "quota emails", everyMs: 10_000, run };
}

async function unwritten(reads: Database, events: readonly EventRow[], today: number): Promise<Due[]> {
  const due = events.flatMap((event): Due[] => {
    const { organization_id, product_id, type } = event;
    const isQuota = type === "quota.warning" || type === "quota.exhausted";
    if (!isQuota || product_id === null) return [];
    const notice = { organization_id, product_id, type, day: quotaDay(event.at) };
    return notice.day === today ? [{ event, notice }] : [];
  });
  const stored = await storedNotices(
    reads,
    due.map(({ notice }) => notice),
  );
  const written = new Set(stored.map(keyOf));
  return due.filter(({ notice }) => !written.has(keyOf(notice)));
}

async function writeNotice(db: Database, { event, notice }: Due, url: string, nowMs: number): Promise<void> {
  // Locked, so that the emails of a day are counted one after the other.
  const organization = await lockedOrganization(db, notice.organization_id);
  const product = await productById(db, notice.product_id);
  if (organization === undefined || product === undefined) return;
  const isServed =
    organization.deleted_at === null &&
    organization.delete_after === null &&
    organization.suspended_at === null;
  if (!isServed || !(await addNotice(db, notice))) return;
  const count = await countNotices(db, organization.id, notice.day, maxEmails + 2);
  if (count > maxEmails + 1) return;
  const recipients = await recipientsWith(db, organization, ["billing:manage"]);
  const place = { organization: organization.name, url: `${url}/o/${organization.slug}/usage` };
  if (count > maxEmails) {
    const more = recipients.map((to) => quotaMoreEmail(to, { ...place, most: maxEmails }));
    await writeEmails(db, more, nowMs);
    return;
  }
  const { limit, used: usedThen } = JSON.parse(event.data) as { limit: number; used: number };
  const [usage] = await usageSince(db, [product.id], notice.day);
  const used = Math.max(usedThen, usage?.used ?? 0);
  const facts: QuotaFacts = {
    ...place,
    product: product.name,
    used,
    limit,
    resetsAtMs: (notice.day + 1) * dayMs,
    runsOutAtMs: runsOutAt(limit, used, nowMs),
    timeZone: organization.time_zone,
  };
  const email = notice.type === "quota.warning" ? quotaWarningEmail : quotaExhaustedEmail;
  await writeEmails(
    db,
    recipients.map((to) => email(to, facts)),
    nowMs,
  );
}

function keyOf({ organization_id, day, product_id, type }: QuotaNoticeRow): string {
  return [organization_id, day, product_id, type].join(" ");
}
