import { quotaDay } from "@countersign/domain/quota/day";
import { grant } from "@countersign/domain/quota/limit";
import { newId } from "@countersign/store/new-id";
import type { LicenseEmailFacts } from "@countersign/store/queries/mail/license-facts";
import {
  addWaitingEmails,
  countEmails,
  knownEmails,
  lockedEmailCount,
} from "@countersign/store/queries/mail/waiting-emails";
import type { Database } from "@countersign/store/store";
import { isSuspended } from "@countersign/store/tables/organizations";
import type { WaitingEmailRow } from "@countersign/store/tables/platform";
import type { Config } from "../../base/config.ts";
import { platformSettings } from "../settings/platform-settings.ts";
import { compose } from "./compose.ts";
import { dedupeKey, type Email, type Recipient, recipientById, writeEmail, writeEmails } from "./email.ts";

/** An email that is to be written, now or when there is room for it. */
export interface CustomerEmail {
  readonly kind: WaitingEmailRow["kind"];
  readonly facts: LicenseEmailFacts;
  /** The expiry that the email announces. */
  readonly endsAtMs: number | null;
  readonly message: Email & { readonly once: string };
}

/**
 * Writes emails to customers, up to the daily limits of their organization and its owner; the rest wait for the next
 * day, and the owner is notified. Counter rows decide who gets the last slot, on any number of nodes. They are locked
 * after everything else in such a transaction: first the owners', then the organizations', each in the order of their
 * IDs.
 */
export async function writeToCustomers(
  db: Database,
  emails: readonly CustomerEmail[],
  config: Config,
  nowMs: number,
): Promise<void> {
  if (emails.length === 0) return;
  const { daily_emails: dailyEmails } = await platformSettings(db, config);
  const counted = emails.map(({ facts }) => countedOwner(facts)).filter((owner) => owner !== null);
  const left = new Map<string, number>();
  for (const owner of [...new Set(counted)].sort())
    left.set(owner, dailyEmails - (await lockedEmailCount(db, owner, "customers", quotaDay(nowMs))));
  const byOrganization = [...Map.groupBy(emails, ({ facts }) => facts.organization_id)];
  for (const [organizationId, ofOrganization] of byOrganization.sort(([a], [b]) => (a < b ? -1 : 1)))
    await writeForOne(db, organizationId, ofOrganization, { dailyEmails, leftByOwner: left, nowMs });
}

/** The owner whose organizations are counted together; null if the operator set a limit for this organization. */
export function countedOwner(
  organization: Pick<LicenseEmailFacts, "daily_emails_override" | "owner_id">,
): string | null {
  return organization.daily_emails_override === null ? organization.owner_id : null;
}

/** The operator's setting for the organization overrides the general one. */
export function emailsAllowed(
  organization: Pick<LicenseEmailFacts, "daily_emails_override">,
  dailyEmails: number,
): number {
  return organization.daily_emails_override ?? dailyEmails;
}

/** Reserves one email that someone requested; false if today's limit is reached. Locks like `writeToCustomers`. */
export async function countOneEmail(
  db: Database,
  facts: LicenseEmailFacts,
  config: Config,
  nowMs: number,
): Promise<boolean> {
  const { daily_emails: dailyEmails } = await platformSettings(db, config);
  const day = quotaDay(nowMs);
  const owner = countedOwner(facts);
  const byOwner = owner === null ? 0 : await lockedEmailCount(db, owner, "customers", day);
  const used = await lockedEmailCount(db, facts.organization_id, "customers", day);
  if (used >= emailsAllowed(facts, dailyEmails) || byOwner >= dailyEmails) return false;
  if (owner !== null) await countEmails(db, owner, "customers", 1);
  await countEmails(db, facts.organization_id, "customers", 1);
  return true;
}

async function writeForOne(
  db: Database,
  organizationId: string,
  emails: readonly CustomerEmail[],
  {
    dailyEmails,
    leftByOwner,
    nowMs,
  }: { dailyEmails: number; leftByOwner: Map<string, number>; nowMs: number },
): Promise<void> {
  const [first] = emails;
  if (first === undefined) return;
  const day = quotaDay(nowMs);
  const used = await lockedEmailCount(db, organizationId, "customers", day);
  const keyed = emails.map((message) => ({ ...message, key: dedupeKey(message.message.once) }));
  // Only new emails count: a repeated request does not.
  const writtenKeys = await knownEmails(
    db,
    keyed.map(({ key }) => key),
  );
  const fresh = keyed.filter(({ key }) => !writtenKeys.has(key));
  const waits = isSuspended(first.facts);
  const allowed = waits ? 0 : emailsAllowed(first.facts, dailyEmails);
  const owner = countedOwner(first.facts);
  const left = owner === null ? fresh.length : (leftByOwner.get(owner) ?? 0);
  const slots = grant(left, 0, grant(allowed, used, fresh.length));
  const early = fresh.slice(0, slots).map(({ message }) => ({ ...message, organizationId }));
  await writeEmails(db, early, nowMs);
  await countEmails(db, organizationId, "customers", slots);
  if (owner !== null) {
    await countEmails(db, owner, "customers", slots);
    leftByOwner.set(owner, left - slots);
  }
  const late = fresh.slice(slots);
  if (late.length === 0) return;
  await addWaitingEmails(
    db,
    late.map(({ kind, facts, endsAtMs, key }) => ({
      id: newId(),
      organization_id: organizationId,
      kind,
      license_id: facts.id,
      ends_at: endsAtMs,
      created_at: nowMs,
      dedupe_key: key,
    })),
  );
  const recipient = waits ? undefined : await recipientById(db, first.facts.owner_id);
  if (recipient === undefined) return;
  const { organization } = first.facts;
  await writeEmail(db, emailsWaitingEmail(recipient, { organizationId, organization, allowed, day }), nowMs);
}

/** Once a day, however many emails wait. */
export function emailsWaitingEmail(
  to: Recipient,
  facts: { organizationId: string; organization: string; allowed: number; day: number },
): Email {
  return compose(to, "emails_waiting", {
    values: { organization: facts.organization, allowed: facts.allowed.toLocaleString(to.language) },
    before: ["emails_waiting.what", "emails_waiting.later"],
    after: ["emails_waiting.more"],
    once: `emails_waiting:${facts.organizationId}:${facts.day}`,
  });
}
