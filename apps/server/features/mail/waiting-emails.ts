import { quotaDay } from "@countersign/domain/quota/day";
import {
  countEmails,
  emailCount,
  lockedEmailCount,
  nextWaitingOrganization,
  removeWaitingEmails,
  waitingEmails,
} from "@countersign/store/queries/mail/waiting-emails";
import { lockedOrganization, organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database, Store } from "@countersign/store/store";
import { isSuspended, type OrganizationRow } from "@countersign/store/tables/organizations";
import type { WaitingEmailRow } from "@countersign/store/tables/platform";
import type { Config } from "../../base/config.ts";
import { inBatches, neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { platformSettings } from "../settings/platform-settings.ts";
import { type CustomerEmail, countedOwner, emailsAllowed } from "./customer-emails.ts";
import { dedupeKey, writeEmails } from "./email.ts";
import { emailsAbout } from "./license-emails.ts";
import { receivedEmails } from "./transfer-emails.ts";

/** The size of one transaction: validations wait while it runs. */
const batchSize = 50;

/**
 * Writes waiting emails to customers once their organization can send more: on the next day, or because the operator
 * raised the limit. Outdated ones are dropped: the license was deleted or revoked, its expiry changed, it was
 * transferred again, or the product no longer sends such emails. Those of a suspended organization keep waiting.
 */
export function waitingEmailsJob(
  store: Store,
  config: Config,
  clock: () => Promise<number> = () => store.clock(),
): PeriodicJob {
  const { reads } = store;
  const run = async (stopping = neverAborted) => {
    const next = (last = "") => nextWaitingOrganization(reads, last);
    for await (const [organizationId = ""] of slicesOf(1, stopping, next))
      await writeFor(organizationId, stopping);
  };
  const writeFor = async (organizationId: string, stopping: AbortSignal) => {
    const nowMs = await clock();
    // A check that blocks nobody: most of the time the limit is reached.
    const organization = await organizationById(reads, organizationId);
    const day = quotaDay(nowMs);
    const used = await emailCount(reads, organizationId, "customers", day);
    const { daily_emails: dailyEmails } = await platformSettings(reads, config);
    if (organization === undefined || used >= allowed(organization, dailyEmails)) return;
    const owner = countedOwner(organization);
    if (owner !== null && (await emailCount(reads, owner, "customers", day)) >= dailyEmails) return;
    const terms = { dailyEmails, portalUrl: config.portalUrl };
    const writeSome = (db: Database) => writeWaiting(db, organizationId, terms, nowMs);
    await inBatches(async () => (await store.transaction(writeSome)) > 0, stopping);
  };
  return { name: "waiting emails", everyMs: 10_000, run };
}

interface Terms {
  readonly dailyEmails: number;
  readonly portalUrl: string;
}

/** Writes some of an organization's; returns how many no longer wait. */
async function writeWaiting(
  db: Database,
  organizationId: string,
  { dailyEmails, portalUrl }: Terms,
  nowMs: number,
): Promise<number> {
  const organization = await lockedOrganization(db, organizationId);
  const maxEmails = allowed(organization, dailyEmails);
  if (organization === undefined || maxEmails === 0) return 0;
  const day = quotaDay(nowMs);
  const owner = countedOwner(organization);
  const leftToOwner =
    owner === null
      ? Number.POSITIVE_INFINITY
      : dailyEmails - (await lockedEmailCount(db, owner, "customers", day));
  const used = await lockedEmailCount(db, organizationId, "customers", day);
  const slots = Math.min(leftToOwner, maxEmails - used);
  if (slots <= 0) return 0;
  const taken = await waitingEmails(db, organizationId, Math.min(batchSize, slots));
  await removeWaitingEmails(
    db,
    taken.map(({ id }) => id),
  );
  const emailsToSend = await stillWanted(db, taken, portalUrl, nowMs);
  const emails = emailsToSend.map(({ message }) => ({ ...message, organizationId }));
  await writeEmails(db, emails, nowMs);
  await countEmails(db, organizationId, "customers", emailsToSend.length);
  if (owner !== null) await countEmails(db, owner, "customers", emailsToSend.length);
  return taken.length;
}

async function stillWanted(
  db: Database,
  taken: readonly WaitingEmailRow[],
  portalUrl: string,
  nowMs: number,
) {
  const emailsToSend: CustomerEmail[] = [];
  for (const kind of ["license_delivery", "license_expiring"] as const) {
    const rows = new Map(taken.filter((row) => row.kind === kind).map((row) => [row.license_id, row]));
    const emails = await emailsAbout(db, kind, [...rows.keys()], nowMs);
    emailsToSend.push(...emails.filter(({ facts, endsAtMs }) => rows.get(facts.id)?.ends_at === endsAtMs));
  }
  const received = new Map(
    taken.filter((row) => row.kind === "license_received").map((row) => [row.dedupe_key, row.license_id]),
  );
  const emails = await receivedEmails(db, [...new Set(received.values())], portalUrl);
  emailsToSend.push(...emails.filter(({ message }) => received.has(dedupeKey(message.once))));
  return emailsToSend;
}

function allowed(organization: OrganizationRow | undefined, dailyEmails: number): number {
  if (organization === undefined || organization.deleted_at !== null) return 0;
  return isSuspended(organization) ? 0 : emailsAllowed(organization, dailyEmails);
}
