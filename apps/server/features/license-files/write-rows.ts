import { randomBytes } from "node:crypto";
import { failure } from "@countersign/contract/problems/failures";
import { fieldErrorBody } from "@countersign/contract/problems/problems";
import { StorageUnavailable } from "@countersign/store/errors/problem";
import { newId } from "@countersign/store/new-id";
import type { Destination } from "@countersign/store/queries/license-files/overwrite";
import { revertRows as revertStoredRows } from "@countersign/store/queries/license-files/undo";
import {
  type NumberedError,
  type Sorted,
  writeSorted,
} from "@countersign/store/queries/license-files/write-rows";
import { shownLicenses } from "@countersign/store/queries/licenses/views";
import type { Database, Store } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { ProductRow } from "@countersign/store/tables/products";
import {
  closeOutdatedTransfers,
  recordCreated,
  recordingChanges,
  recordMissedExpiries,
} from "../events/record-changes.ts";
import { ImportFailed } from "./job.ts";

interface WriteContext {
  readonly store: Store;
  readonly job: ImportRow;
  readonly nowMs: number;
}

/** Where the rows of an import go, and what they get where they leave something out. */
export function destinationOf(job: ImportRow, product: ProductRow): Destination {
  return {
    importId: job.id,
    organizationId: job.organization_id,
    productId: job.product_id,
    defaults: {
      maxIps: product.default_max_ips,
      ipSystemEnabled: product.default_ip_system_enabled === 1,
      expiresInDays: product.default_expires_in_days,
      ipv6Prefix: product.ipv6_prefix,
      timeZone: job.time_zone,
    },
    defaultCustomerEmail: job.default_customer_email,
    onExisting: job.on_existing,
  };
}

/** Writes licenses, with their events if the import records any. */
export async function writeRows(
  db: Database,
  { store, job, nowMs }: WriteContext,
  to: Destination,
  sorted: Sorted,
): Promise<void> {
  const means = { bulk: store.bulk, newId, randomBytes, nowMs };
  const overwritten = sorted.updates.map((update) => update.existing.id);
  if (job.send_events === 0) {
    // An expiry in the past is not an event of the import: it is recorded even if the import records none.
    await recordMissedExpiries(db, nowMs, overwritten);
    await writeSorted(db, to, sorted, means);
    await closeOutdatedTransfers(db, nowMs, overwritten);
    return;
  }
  const made = await recordingChanges(db, nowMs, "license.updated", overwritten, () =>
    writeSorted(db, to, sorted, means),
  );
  await recordCreated(db, nowMs, await shownLicenses(db, made, nowMs));
}

/** Reverts rows that the import wrote, with their events if it records any. */
export async function revertRows(
  db: Database,
  { store, job, nowMs }: WriteContext,
  rows: Parameters<typeof revertStoredRows>[1],
): Promise<void> {
  const ids = rows.map((row) => row.license_id);
  await store.bulk.lockLicenses(db, ids);
  if (job.send_events === 0) {
    await revertStoredRows(db, rows);
    await closeOutdatedTransfers(db, nowMs, ids);
  } else await recordingChanges(db, nowMs, "license.updated", ids, () => revertStoredRows(db, rows));
}

/** A row that was valid when it was checked no longer is. */
export class Clash extends ImportFailed {
  constructor({ row, field, ...fault }: NumberedError) {
    super(failure("import_row_changed", { row, error: fieldErrorBody(field, fault) }));
  }
}

/** PostgreSQL rolled this one back in favor of another. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof StorageUnavailable && error.reason === "conflict";
}
