import { initializeState, replaceState, stateOf } from "@countersign/store/queries/admin/platform-state";
import {
  type Due,
  dueLicenses,
  expiringSoon,
  organizationIdsAfter,
  removeUnannouncedExpiries,
  stillDue,
  unannouncedExpiries,
  warningDays,
} from "@countersign/store/queries/events/expiries";
import { shownLicenses } from "@countersign/store/queries/licenses/views";
import type { Database, Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { Config } from "../../base/config.ts";
import { inBatches, neverAborted } from "../../jobs/in-batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { licenseExpiringEmails } from "../mail/license-emails.ts";
import { lookBackMs, recordExpiries, watchedUntil as stateName } from "./record-expiries.ts";

const everyMs = 10_000;
/** The size of one transaction: validations wait while it runs. */
const batchSize = 50;
const organizationsAtOnce = 500;

/**
 * Records events for licenses that expire soon and those that have expired. Each check covers what became due since the
 * last one on any node, so that downtime is caught up with; what became due before the very first check, on an older
 * database, is never recorded. A row decides which node records an expiry, so several nodes can run this.
 */
export class ExpiryCheck implements PeriodicJob {
  readonly name = "expiring licenses";
  readonly everyMs = everyMs;
  readonly #store: Store;
  readonly #config: Config;
  readonly #clock: () => Promise<number>;

  constructor(store: Store, config: Config, clock = () => store.clock()) {
    this.#store = store;
    this.#config = config;
    this.#clock = clock;
  }

  async run(stopping = neverAborted): Promise<void> {
    const store = this.#store;
    const untilMs = await this.#clock();
    const known = await stateOf(store.reads, stateName);
    const state = known ?? (await store.transaction((db) => initializeState(db, stateName, String(untilMs))));
    const afterMs = Number(state) - lookBackMs;
    for (let after = ""; ; ) {
      const ids = await organizationIdsAfter(store.listReads, after, organizationsAtOnce);
      await this.#record(
        { organizationIds: ids, type: "license.expired", days: 0, afterMs, untilMs },
        stopping,
      );
      for (const days of await warningDays(store.listReads, ids))
        await this.#record(
          { organizationIds: ids, type: "license.expiring_soon", days, afterMs, untilMs },
          stopping,
        );
      if (stopping.aborted) return;
      const last = ids.at(-1);
      if (ids.length < organizationsAtOnce || last === undefined) break;
      after = last;
      await yieldToEventLoop();
    }
    await this.#recordUnannounced(untilMs, stopping);
    // Only from where it started: another node may be further ahead.
    await store.transaction((db) => replaceState(db, stateName, state, String(untilMs)), "soon");
  }

  async #record(due: Due, stopping: AbortSignal): Promise<void> {
    const store = this.#store;
    for await (const found of dueLicenses(store.listReads, due))
      for (let start = 0; start < found.length; start += batchSize) {
        if (stopping.aborted) return;
        const ids = found.slice(start, start + batchSize);
        await store.transaction(async (db) => {
          await store.bulk.lockLicenses(db, ids);
          await this.#recordOf(db, due.type, await stillDue(db, due, ids), due.untilMs);
        });
        await yieldToEventLoop();
      }
  }

  /** Those whose expiry was set within the warning period. */
  async #recordUnannounced(nowMs: number, stopping: AbortSignal): Promise<void> {
    const store = this.#store;
    await inBatches(async () => {
      const ids = await unannouncedExpiries(store.reads, batchSize);
      if (ids.length > 0)
        await store.transaction(async (db) => {
          await store.bulk.lockLicenses(db, ids);
          await this.#recordOf(db, "license.expiring_soon", await expiringSoon(db, ids, nowMs), nowMs);
          await removeUnannouncedExpiries(db, ids);
        });
      return ids.length === batchSize;
    }, stopping);
  }

  async #recordOf(db: Database, type: Due["type"], ids: readonly string[], nowMs: number): Promise<void> {
    const recorded = await recordExpiries(db, nowMs, type, await shownLicenses(db, ids, nowMs));
    if (type !== "license.expiring_soon") return;
    await licenseExpiringEmails(
      db,
      recorded.map(({ id }) => id),
      this.#config,
      nowMs,
    );
  }
}
