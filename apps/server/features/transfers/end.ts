import { maskedKey } from "@countersign/domain/licenses/key";
import { type ShownLicense, shownLicenses } from "@countersign/store/queries/licenses/views";
import {
  decideTransfer,
  knownTarget,
  lostTransfersOfPerson,
  pendingTransfersOfPerson,
  removeRequester,
} from "@countersign/store/queries/transfers/transfers";
import type { Database, Store } from "@countersign/store/store";
import type { TransferRow } from "@countersign/store/tables/portal";
import { type AuditContext, audit } from "../audit-log/record.ts";
import { recordEvents, transferEvent } from "../events/record.ts";

/** How a transfer ends without the license being transferred. */
type Ending =
  | {
      readonly state: "rejected";
      readonly by: "organization";
      readonly name: string;
      readonly reason: string;
    }
  | { readonly state: "cancelled"; readonly by: "customer" };

/**
 * Rejects or cancels a transfer whose license is locked, with its audit entry and event. Undefined if it no longer
 * waits.
 */
export async function endTransfer(
  db: Database,
  context: AuditContext,
  transfer: TransferRow,
  ending: Ending,
): Promise<TransferRow | undefined> {
  const { nowMs } = context;
  const isRejected = ending.state === "rejected";
  const decision = {
    state: ending.state,
    decided_by: ending.by,
    decided_by_name: isRejected ? ending.name : null,
    reason: isRejected ? ending.reason : null,
  };
  const ended = await decideTransfer(db, transfer.id, decision, nowMs);
  if (ended === undefined) return undefined;
  const { license_id: licenseId, organization_id: organizationId } = ended;
  const [license = null] = await shownLicenses(db, [licenseId], nowMs);
  await recordEvents(db, nowMs, transferEvent(ended, await knownTarget(db, organizationId, ended), license));
  await audit(db, context, {
    action: isRejected ? "license.transfer_rejected" : "license.transfer_cancelled",
    subject: { kind: "license", id: licenseId, name: nameOf(ended, license) },
    after: { ...recipientOf(ended), ...(isRejected ? { reason: ending.reason } : {}) },
    organizationId,
  });
  return ended;
}

type CancelContext = AuditContext & { readonly store: Pick<Store, "bulk"> };

/** For an account of the portal that is deleted: cancels what it requested, and no longer records who that was. */
export async function releaseTransfers(
  db: Database,
  context: CancelContext,
  personId: string,
): Promise<void> {
  await cancelTransfers(db, context, await pendingTransfersOfPerson(db, personId));
  await removeRequester(db, personId);
}

/**
 * For a locked account that has just lost an identity: cancels what it requested for licenses that are no longer its.
 * Otherwise a former owner of an email address could give away the licenses of its next one.
 */
export async function cancelLostTransfers(
  db: Database,
  context: CancelContext,
  personId: string,
): Promise<void> {
  await cancelTransfers(db, context, await lostTransfersOfPerson(db, personId));
}

async function cancelTransfers(
  db: Database,
  context: CancelContext,
  pending: readonly TransferRow[],
): Promise<void> {
  if (pending.length === 0) return;
  await context.store.bulk.lockLicenses(
    db,
    pending.map((transfer) => transfer.license_id),
  );
  for (const transfer of pending) {
    const { from_customer_id: id, from_name: name, from_email: email, from_discord_id: discordId } = transfer;
    const customer = { id, name: name ?? email ?? discordId ?? "" };
    await endTransfer(db, { ...context, customer }, transfer, { state: "cancelled", by: "customer" });
  }
}

/** The recipient, for the audit log. */
export function recipientOf({ to_email, to_discord_id }: TransferRow): object {
  return to_email === null ? { to_discord_id } : { to_email };
}

function nameOf(transfer: TransferRow, license: ShownLicense | null): string {
  return license === null ? transfer.license_key_hint : maskedKey(license.license_key);
}
