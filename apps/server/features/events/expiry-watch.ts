import {
  type Due,
  dueLicenses,
  organizationIdsAfter,
  stillDue,
  warningDays,
} from "@countersign/store/queries/expiries";
import { shownLicenses } from "@countersign/store/queries/license-views";
import { replaceState, stateOf, stateOnce } from "@countersign/store/queries/platform-state";
import type { Store } from "@countersign/store/store";
import type { Chore } from "../../jobs/chores.ts";
import { inBatches, neverStopping } from "../../jobs/in-batches.ts";
import { licenseExpiringLetters } from "../mail/license-letters.ts";
import { lookBackMs, watchedUntil as stateName, tellEndings } from "./tell-endings.ts";

const everyMs = 10_000;
/** The size of one transaction: validations wait while it runs. */
const lotSize = 50;
const organizationsAtOnce = 500;

/**
 * Records events for licenses that expire soon and those that have expired. Each check covers what became due since the
 * last one on any node, so that downtime is caught up with; what became due before the very first check, on an older
 * database, is never recorded. A row decides which node records an expiry, so several nodes can run this.
 */
export class ExpiryWatch implements Chore {
  readonly name = "licenses that run out";
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
    const store = this.#store;
    const untilMs = await this.#clock();
    const known = await stateOf(store.reads, stateName);
    const state = known ?? (await store.transaction((db) => stateOnce(db, stateName, String(untilMs))));
    const afterMs = Number(state) - lookBackMs;
    for (let after = ""; ; ) {
      const ids = await organizationIdsAfter(store.alongIndexes, after, organizationsAtOnce);
      await this.#tell(
        { organizationIds: ids, type: "license.expired", days: 0, afterMs, untilMs },
        stopping,
      );
      for (const days of await warningDays(store.alongIndexes, ids))
        await this.#tell(
          { organizationIds: ids, type: "license.expiring_soon", days, afterMs, untilMs },
          stopping,
        );
      if (stopping.aborted) return;
      const last = ids.at(-1);
      if (ids.length < organizationsAtOnce || last === undefined) break;
      after = last;
    }
    // Only from where it started: another node may be further ahead.
    await store.transaction((db) => replaceState(db, stateName, state, String(untilMs)), "soon");
  }

  async #tell(due: Due, stopping: AbortSignal): Promise<void> {
    const store = this.#store;
    await inBatches(async () => {
      const ids = await dueLicenses(store.alongIndexes, due, lotSize);
      if (ids.length > 0)
        await store.transaction(async (db) => {
          await store.bulk.lockLicenses(db, ids);
          const licenses = await shownLicenses(db, await stillDue(db, due, ids), due.untilMs);
          const told = await tellEndings(db, due.untilMs, due.type, licenses);
          if (due.type !== "license.expiring_soon") return;
          await licenseExpiringLetters(
            db,
            told.map(({ id }) => id),
            this.#lettersADay,
            due.untilMs,
          );
        });
      return ids.length === lotSize;
    }, stopping);
  }
}
