import { mentionOf } from "@countersign/domain/customers/mentions";
import { refusalHour } from "@countersign/domain/events/thresholds";
import {
  addErasedLicenses,
  type Erasure,
  erasedLicenses,
  eraseSomeTransfers,
  finishErasure,
  isErasing,
  pendingErasures,
  registeredWhileHeld,
  removeErasedLicenses,
  removeRecentRefusals,
} from "@countersign/store/queries/customer-erasure/erasures";
import { formerLicenses, tenuresOf } from "@countersign/store/queries/customers/holders";
import { someLicenseIdsOfCustomer } from "@countersign/store/queries/customers/views";
import { deleting } from "@countersign/store/queries/licenses/changes";
import { unregisterIp } from "@countersign/store/queries/licenses/ips";
import { licenseViews } from "@countersign/store/queries/licenses/views";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import type { Database, Store } from "@countersign/store/store";
import { neverAborted, restingSteps, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { auditWithoutRequest } from "../audit-log/record.ts";
import { drain } from "../licenses/change.ts";
import { settledAfterMs } from "../organizations/remove-due.ts";
import type { CustomerOfOrganization } from "../requests/journal-thread.ts";
import { eraseTraces } from "./traces.ts";

/** The request log; on SQLite a separate file, which another thread writes. */
export interface JournalOfCustomers {
  eraseCustomer(customer: CustomerOfOrganization): Promise<void>;
}

/** Small enough that a validation, which waits for it on SQLite, does not wait long. */
const rowsAtATime = 25;

/**
 * Completes what `beginErasure` began, a little at a time: first the licenses, then what was recorded about them or names
 * the customer. Each part only finds what is left, so that a node that stops leaves the rest to the next, and several
 * nodes can run this.
 */
export function customerErasure(store: Store, journal: JournalOfCustomers): PeriodicJob {
  const step = restingSteps(store);
  const run = async (stopping = neverAborted) => {
    for (const erasure of await pendingErasures(store.reads)) {
      const deleted = await deleteLicenses(erasure, stopping);
      // What was going on meanwhile is recorded a little later, by every node.
      const isSettled = erasure.requested_at <= (await store.clock()) - settledAfterMs;
      if (!stopping.aborted && deleted === 0 && isSettled) await complete(erasure, stopping);
      if (stopping.aborted) return;
    }
  };

  const deleteLicenses = async (erasure: Erasure, stopping: AbortSignal): Promise<number> => {
    const { customer_id: customerId, organization_id: organizationId } = erasure;
    for (let deleted = 0; ; ) {
      const ids = stopping.aborted
        ? []
        : await someLicenseIdsOfCustomer(store.reads, organizationId, customerId, rowsAtATime);
      if (ids.length === 0) return deleted;
      await drain(store, ids);
      await step((db) => deleteSome(db, erasure, ids));
      deleted += ids.length;
    }
  };

  /** Without events: these would send what is to be erased. */
  const deleteSome = async (db: Database, erasure: Erasure, ids: readonly string[]) => {
    const { customer_id: customerId, requested_at } = erasure;
    await store.bulk.lockLicenses(db, ids);
    // One that was given to another customer meanwhile is that one's.
    const views = (await licenseViews(db, ids)).filter((license) => license.customer_id === customerId);
    const deleted = views.map(({ id }) => id);
    if (deleted.length === 0) return;
    await addErasedLicenses(
      db,
      customerId,
      deleted.map((id) => ({ id, sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER })),
    );
    await deleting().apply(db, views);
    const hour = refusalHour(requested_at);
    await removeRecentRefusals(db, deleted, [hour - 2, hour - 1, hour, hour + 1]);
  };

  const complete = async (erasure: Erasure, stopping: AbortSignal) => {
    const { customer_id: customerId, organization_id: organizationId } = erasure;
    const eraseTransfers = async (db: Database) => {
      await lockedOrganization(db, organizationId);
      return eraseSomeTransfers(db, erasure, { atMost: rowsAtATime, nowMs: await store.clock() });
    };
    while (!stopping.aborted && (await step(eraseTransfers)));
    await eraseTenures(erasure, stopping);
    const licenses = await erasedLicenses(store.reads, customerId);
    const ids = new Set([customerId, ...erasure.formerIds]);
    const about = { ...erasure, ids, licenses, mentions: mentionOf(erasure.terms) };
    if (!(await eraseTraces({ store, step, stopping }, about)) || stopping.aborted) return;
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    stopping.addEventListener("abort", () => stop(), { once: true });
    await Promise.race([journal.eraseCustomer({ organizationId, customerId }), stopped]);
    while (!stopping.aborted && (await step((db) => removeErasedLicenses(db, customerId, rowsAtATime))));
    if (!stopping.aborted) await step((db) => finish(db, erasure));
  };

  /** Licenses that they lost before: noted, so that what was recorded meanwhile is erased, and their IP addresses. */
  const eraseTenures = async ({ customer_id: customerId }: Erasure, stopping: AbortSignal) => {
    const former = slicesOf<{ readonly license_id: string }>(rowsAtATime, stopping, (last) =>
      formerLicenses(store.reads, customerId, last?.license_id ?? "", rowsAtATime),
    );
    for await (const rows of former) {
      const ids = rows.map((row) => row.license_id);
      const tenures = await tenuresOf(store.reads, ids, customerId);
      const erased = [...tenures].flatMap(([id, all]) => all.map((tenure) => ({ id, ...tenure })));
      await step((db) => addErasedLicenses(db, customerId, erased));
    }
    for (let from = ""; !stopping.aborted; ) {
      const rows = await registeredWhileHeld(store.reads, customerId, from, rowsAtATime);
      const last = rows.at(-1);
      if (last === undefined) return;
      await step(async (db) => {
        await store.bulk.lockLicenses(db, [...new Set(rows.map((row) => row.license_id))]);
        const nowMs = await store.clock();
        for (const { license_id: id, ip } of rows) await unregisterIp(db, id, ip, nowMs);
      });
      from = last.license_id;
    }
  };

  const finish = async (
    db: Database,
    { customer_id: customerId, organization_id: organizationId }: Erasure,
  ) => {
    if (!(await isErasing(db, { customer_id: customerId }))) return;
    if (!(await finishErasure(db, customerId))) return;
    await auditWithoutRequest(db, { kind: "system", name: "Countersign" }, await store.clock(), {
      action: "customer.erased",
      subject: { kind: "customer", id: customerId, name: null },
      organizationId,
    });
  };

  return { name: "customer erasure", everyMs: 5_000, run };
}
