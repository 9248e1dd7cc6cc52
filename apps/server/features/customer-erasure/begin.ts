import {
  addErasure,
  type ErasureCounts,
  licensesToErase,
} from "@countersign/store/queries/customer-erasure/erasures";
import { lockedCustomer } from "@countersign/store/queries/customers/views";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import { Problem } from "../../http/problem.ts";
import type { Change } from "../audit-log/record.ts";

interface ErasureRequest {
  readonly organizationId: string;
  readonly customerId: string;
  /** How many licenses the user was told will be deleted. */
  readonly licenseCount: number;
  /** Counted before the transaction, because that takes a while. */
  readonly counts: ErasureCounts;
  readonly nowMs: number;
}

/** Begins to erase a customer, and returns what is recorded about it: their ID, and no name. */
export async function beginErasure(
  db: Database,
  { organizationId, customerId, licenseCount, counts, nowMs }: ErasureRequest,
): Promise<Change> {
  await lockedOrganization(db, organizationId);
  const row = await lockedCustomer(db, organizationId, customerId);
  if (row === undefined) throw new Problem("customer_not_found");
  const count = await licensesToErase(db, organizationId, customerId);
  if (count !== licenseCount) throw new Problem("customer_licenses_changed", { count });
  await addErasure(db, row, nowMs);
  return {
    action: "customer.erasure_requested",
    subject: { kind: "customer", id: customerId, name: null },
    after: counts,
    organizationId,
  };
}
