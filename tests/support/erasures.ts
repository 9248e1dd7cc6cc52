import { erasureCounts } from "@countersign/store/queries/customer-erasure/erasures";
import { customerOf } from "@countersign/store/queries/customers/views";
import type { Journal, Store } from "@countersign/store/store";
import { auditWithoutRequest } from "../../apps/server/features/audit-log/record.ts";
import { beginErasure } from "../../apps/server/features/customer-erasure/begin.ts";
import { customerErasure } from "../../apps/server/features/customer-erasure/job.ts";

/** Erases customers in process, with a journal without its thread. */
export function erasuresOn(store: Store, journal: () => Journal) {
  const eraseCustomer = async (about: { readonly organizationId: string; readonly customerId: string }) => {
    let steps = 0;
    let next: Awaited<ReturnType<Journal["eraseLicenses"]>> = { ...about, part: "requests", after: "" };
    for (; next !== null; steps++) next = await journal().eraseLicenses(next);
    journalSteps = steps;
  };
  let journalSteps = 0;
  return {
    /** As the API does it. Returns what is counted. */
    begin: (organizationId: string, customerId: string) =>
      store.transaction(async (db) => {
        const row = await customerOf(db, organizationId, customerId);
        if (row === undefined) throw new Error("There is no such customer.");
        const counts = await erasureCounts(db, organizationId, row);
        const nowMs = await store.clock();
        const request = { organizationId, customerId, counts, licenseCount: counts.licenses, nowMs };
        const change = await beginErasure(db, request);
        await auditWithoutRequest(db, { kind: "command_line", name: "test" }, nowMs, change);
        return counts;
      }),
    /** One run of the job. */
    run: (on: Store = store, stopping?: AbortSignal) => customerErasure(on, { eraseCustomer }).run(stopping),
    /** Whatever was going on is recorded within seconds: as if these had passed. */
    settle: (customerId: string) =>
      store.transaction((db) =>
        db
          .updateTable("customer_erasures")
          .set((row) => ({ requested_at: row("requested_at", "-", 5_000) }))
          .where("customer_id", "=", customerId)
          .execute(),
      ),
    /** Of the last run. */
    journalSteps: () => journalSteps,
  };
}
