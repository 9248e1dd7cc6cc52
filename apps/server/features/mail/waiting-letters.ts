import { quotaDay } from "@countersign/domain/quota/day";
import { lockedOrganization, organizationById } from "@countersign/store/queries/access";
import { countLetters, letterCount, lockedLetterCount } from "@countersign/store/queries/daily-letters";
import {
  nextWaitingOrganization,
  removeWaitingLetters,
  waitingLetters,
} from "@countersign/store/queries/waiting-letters";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationRow, WaitingLetterRow } from "@countersign/store/tables";
import type { Chore } from "../../jobs/chores.ts";
import { inBatches, neverStopping } from "../../jobs/in-batches.ts";
import { type CustomerLetter, countedOwner, lettersAllowed } from "./customer-letters.ts";
import { writeLetters } from "./letter.ts";
import { lettersAbout } from "./license-letters.ts";

const everyMs = 10_000;
/** The size of one transaction: validations wait while it runs. */
const lotSize = 50;

/**
 * Writes waiting emails to customers once their organization can send more: on the next day, or because the operator
 * raised the limit. Outdated ones are dropped: the license was deleted or revoked, its expiry changed, or the product
 * no longer sends such emails. Those of a suspended organization keep waiting.
 */
export class WaitingLetters implements Chore {
  readonly name = "letters that wait";
  readonly everyMs = everyMs;
  readonly #store: Store;
  readonly #lettersADay: number;
  readonly #clock: () => Promise<number>;

  constructor(store: Store, lettersADay: number, clock = () => store.clock()) {
    this.#store = store;
    this.#lettersADay = lettersADay;
    this.#clock = clock;
  }

  async run(stopping = neverStopping): Promise<void> {
    const { reads } = this.#store;
    let id = await nextWaitingOrganization(reads, "");
    for (; id !== null && !stopping.aborted; id = await nextWaitingOrganization(reads, id))
      await this.#writeFor(id, stopping);
  }

  async #writeFor(organizationId: string, stopping: AbortSignal): Promise<void> {
    const nowMs = await this.#clock();
    // A check that blocks nobody: most of the time the limit is reached.
    const { reads } = this.#store;
    const organization = await organizationById(reads, organizationId);
    const day = quotaDay(nowMs);
    const used = await letterCount(reads, organizationId, "customers", day);
    if (organization === undefined || used >= this.#allowed(organization)) return;
    const owner = countedOwner(organization);
    if (owner !== null && (await letterCount(reads, owner, "customers", day)) >= this.#lettersADay) return;
    const writeSome = (db: Database) => this.#writeSome(db, organizationId, nowMs);
    await inBatches(async () => (await this.#store.transaction(writeSome)) > 0, stopping);
  }

  /** Returns how many no longer wait. */
  async #writeSome(db: Database, organizationId: string, nowMs: number): Promise<number> {
    const organization = await lockedOrganization(db, organizationId);
    const allowed = this.#allowed(organization);
    if (organization === undefined || allowed === 0) return 0;
    const day = quotaDay(nowMs);
    const owner = countedOwner(organization);
    const leftToOwner =
      owner === null
        ? Number.POSITIVE_INFINITY
        : this.#lettersADay - (await lockedLetterCount(db, owner, "customers", day));
    const used = await lockedLetterCount(db, organizationId, "customers", day);
    const places = Math.min(leftToOwner, allowed - used);
    if (places <= 0) return 0;
    const taken = await waitingLetters(db, organizationId, Math.min(lotSize, places));
    await removeWaitingLetters(
      db,
      taken.map(({ id }) => id),
    );
    const wanted = await this.#stillWanted(db, taken, nowMs);
    const letters = wanted.map(({ letter }) => letter);
    await writeLetters(db, letters, nowMs);
    await countLetters(db, organizationId, "customers", wanted.length);
    if (owner !== null) await countLetters(db, owner, "customers", wanted.length);
    return taken.length;
  }

  async #stillWanted(db: Database, taken: readonly WaitingLetterRow[], nowMs: number) {
    const wanted: CustomerLetter[] = [];
    for (const kind of ["license_delivery", "license_expiring"] as const) {
      const rows = new Map(taken.filter((row) => row.kind === kind).map((row) => [row.license_id, row]));
      const letters = await lettersAbout(db, kind, [...rows.keys()], nowMs);
      wanted.push(...letters.filter(({ facts, endsAtMs }) => rows.get(facts.id)?.ends_at === endsAtMs));
    }
    return wanted;
  }

  #allowed(organization: OrganizationRow | undefined): number {
    if (organization === undefined || organization.deleted_at !== null) return 0;
    return organization.suspended_at === null ? lettersAllowed(organization, this.#lettersADay) : 0;
  }
}
