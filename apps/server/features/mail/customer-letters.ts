import { quotaDay } from "@countersign/domain/quota/day";
import { grant } from "@countersign/domain/quota/limit";
import { countLetters, lockedLetterCount } from "@countersign/store/queries/daily-letters";
import type { LicenseLetterFacts } from "@countersign/store/queries/license-letters";
import { addWaitingLetters, knownLetters } from "@countersign/store/queries/waiting-letters";
import type { Database } from "@countersign/store/store";
import type { WaitingLetterRow } from "@countersign/store/tables";
import { newId } from "../../new-id.ts";
import { compose, type Reader } from "./compose.ts";
import { dedupeKey, type Letter, writeLetter, writeLetters } from "./letter.ts";
import { readerById } from "./reader.ts";

/** A letter that is to be written, now or when there is room for it. */
export interface CustomerLetter {
  readonly kind: WaitingLetterRow["kind"];
  readonly facts: LicenseLetterFacts;
  /** Which end of the license it tells of. */
  readonly endsAtMs: number | null;
  readonly letter: Letter & { readonly once: string };
}

/**
 * Writes emails to customers, up to the daily limits of their organization and its owner; the rest wait for the next
 * day, and the owner is notified. Counter rows decide who gets the last slot, on any number of nodes. They are locked
 * after everything else in such a transaction: first the owners', then the organizations', each in the order of their
 * IDs.
 */
export async function writeToCustomers(
  db: Database,
  letters: readonly CustomerLetter[],
  lettersADay: number,
  nowMs: number,
): Promise<void> {
  const counted = letters.map(({ facts }) => countedOwner(facts)).filter((owner) => owner !== null);
  const left = new Map<string, number>();
  for (const owner of [...new Set(counted)].sort())
    left.set(owner, lettersADay - (await lockedLetterCount(db, owner, "customers", quotaDay(nowMs))));
  const byOrganization = [...Map.groupBy(letters, ({ facts }) => facts.organization_id)];
  for (const [organizationId, some] of byOrganization.sort(([a], [b]) => (a < b ? -1 : 1)))
    await writeForOne(db, organizationId, some, { lettersADay, leftByOwner: left, nowMs });
}

/** The owner whose organizations are counted together; null if the operator set a limit for this organization. */
export function countedOwner(
  organization: Pick<LicenseLetterFacts, "daily_letters_override" | "owner_id">,
): string | null {
  return organization.daily_letters_override === null ? organization.owner_id : null;
}

/** The operator's setting for the organization overrides the general one. */
export function lettersAllowed(
  organization: Pick<LicenseLetterFacts, "daily_letters_override">,
  lettersADay: number,
): number {
  return organization.daily_letters_override ?? lettersADay;
}

/** Reserves one email that someone requested; false if today's limit is reached. Locks like `writeToCustomers`. */
export async function countOneLetter(
  db: Database,
  facts: LicenseLetterFacts,
  lettersADay: number,
  nowMs: number,
): Promise<boolean> {
  const day = quotaDay(nowMs);
  const owner = countedOwner(facts);
  const byOwner = owner === null ? 0 : await lockedLetterCount(db, owner, "customers", day);
  const used = await lockedLetterCount(db, facts.organization_id, "customers", day);
  if (used >= lettersAllowed(facts, lettersADay) || byOwner >= lettersADay) return false;
  if (owner !== null) await countLetters(db, owner, "customers", 1);
  await countLetters(db, facts.organization_id, "customers", 1);
  return true;
}

async function writeForOne(
  db: Database,
  organizationId: string,
  letters: readonly CustomerLetter[],
  {
    lettersADay,
    leftByOwner,
    nowMs,
  }: { lettersADay: number; leftByOwner: Map<string, number>; nowMs: number },
): Promise<void> {
  const [first] = letters;
  if (first === undefined) return;
  const day = quotaDay(nowMs);
  const used = await lockedLetterCount(db, organizationId, "customers", day);
  const keyed = letters.map((letter) => ({ ...letter, key: dedupeKey(letter.letter.once) }));
  // Only new emails count: a repeated request does not.
  const known = await knownLetters(
    db,
    keyed.map(({ key }) => key),
  );
  const fresh = keyed.filter(({ key }) => !known.has(key));
  const isSuspended = first.facts.suspended_at !== null;
  const allowed = isSuspended ? 0 : lettersAllowed(first.facts, lettersADay);
  const owner = countedOwner(first.facts);
  const left = owner === null ? fresh.length : (leftByOwner.get(owner) ?? 0);
  const places = grant(left, 0, grant(allowed, used, fresh.length));
  const early = fresh.slice(0, places).map(({ letter }) => letter);
  await writeLetters(db, early, nowMs);
  await countLetters(db, organizationId, "customers", places);
  if (owner !== null) {
    await countLetters(db, owner, "customers", places);
    leftByOwner.set(owner, left - places);
  }
  const late = fresh.slice(places);
  if (late.length === 0) return;
  await addWaitingLetters(
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
  const reader = isSuspended ? undefined : await readerById(db, first.facts.owner_id);
  if (reader === undefined) return;
  const { organization } = first.facts;
  await writeLetter(db, lettersWaitLetter(reader, { organizationId, organization, allowed, day }), nowMs);
}

/** Once a day, however many emails wait. */
export function lettersWaitLetter(
  to: Reader,
  facts: { organizationId: string; organization: string; allowed: number; day: number },
): Letter {
  return compose(to, "letters_wait", {
    values: { organization: facts.organization, allowed: facts.allowed.toLocaleString(to.language) },
    before: ["letters_wait.what", "letters_wait.later"],
    after: ["letters_wait.more"],
    once: `letters_wait:${facts.organizationId}:${facts.day}`,
  });
}
