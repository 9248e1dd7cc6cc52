import { randomBytes } from "node:crypto";
import { generateLicenseKey, maskedKey, matchForm } from "@countersign/domain/licenses/key";
import { transferRefusal } from "@countersign/domain/transfers/decide";
import { newId } from "@countersign/store/new-id";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { customerOf } from "@countersign/store/queries/customers/views";
import { changeLicense, resettingIps } from "@countersign/store/queries/licenses/changes";
import { licenseViews, showLicense } from "@countersign/store/queries/licenses/views";
import { removeWaitingEmail } from "@countersign/store/queries/mail/waiting-emails";
import { knownTarget } from "@countersign/store/queries/transfers/targets";
import { decideTransfer } from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import type { TransferRow } from "@countersign/store/tables/portal";
import type { OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit, difference } from "../audit-log/record.ts";
import { recordEvents } from "../events/record.ts";
import { recordExpiredBefore } from "../events/record-changes.ts";
import { transferEvent } from "../events/transfer-event.ts";
import { auditable } from "../licenses/change.ts";
import type { Drained } from "../licenses/drain.ts";
import { writeToCustomers } from "../mail/customer-emails.ts";
import { dedupeKey } from "../mail/email.ts";
import { receivedEmails, transferCompletedEmail } from "../mail/transfer-emails.ts";
import { writeToFormerHolder } from "./email.ts";
import type { Licensed } from "./lock.ts";

/** Why the license cannot be transferred now. */
export function checkTransferable({ license, product }: Licensed): void {
  const refusal = transferRefusal({
    productStatus: product.status,
    isRevoked: license.revoked_at !== null,
  });
  if (refusal !== null) throw new Problem(refusal);
}

/** Who approved it: a member or token by name, or the product's setting. */
type Approval =
  | { readonly by: "organization"; readonly name: string }
  | { readonly by: "system"; readonly name: null };

/**
 * Approves a pending transfer and gives the locked license to its recipient. Their customer record is created if the
 * organization has none; an existing one stays as the organization wrote it, and so does that of the former customer.
 */
export async function carryOutTransfer(
  db: Database,
  context: OrganizationContext,
  transfer: TransferRow,
  { license, product }: Licensed,
  approval: Approval,
  drained: Drained,
): Promise<TransferRow> {
  const { nowMs, config } = context;
  // If something changed the customer without cancelling the transfer, the requester can no longer give it away.
  if (license.customer_id !== transfer.from_customer_id) throw new Problem("transfer_not_pending");
  const customerId = await customerOfTarget(db, transfer, nowMs);
  const decision = {
    state: "approved",
    decided_by: approval.by,
    decided_by_name: approval.name,
    reason: null,
    to_customer_id: customerId,
  } as const;
  const approved = await decideTransfer(db, transfer.id, decision, nowMs);
  if (approved === undefined) throw new Problem("transfer_not_pending");

  const shown = showLicense(license, nowMs);
  const before = {
    ...shown,
    current_unique_ip_count: shown.current_unique_ip_count + (drained.get(license.id) ?? 0),
  };
  await recordExpiredBefore(db, nowMs, [before]);
  if (product.transfer_resets_ips === 1) {
    const reset = resettingIps(nowMs);
    await reset.apply(db, await reset.affected(db, [license]));
  }
  const key = product.transfer_rotates_key === 1 ? generateLicenseKey(randomBytes) : license.license_key;
  const columns = { customer_id: customerId, license_key: key, license_key_match: matchForm(key) };
  await changeLicense(db, license, columns, null, nowMs);
  const [view] = await licenseViews(db, [license.id]);
  if (view === undefined) throw new Error("A locked license does not exist.");
  const after = showLicense(view, nowMs);

  await recordEvents(
    db,
    nowMs,
    transferEvent(approved, { id: customerId, name: after.customer_name }, after),
  );
  await audit(db, context, {
    action: "license.transferred",
    subject: { kind: "license", id: license.id, name: maskedKey(license.license_key) },
    ...difference(auditable(before), auditable(after)),
  });
  await writeToFormerHolder(db, context, approved, product, transferCompletedEmail);
  // The key that waits to be sent was for the former customer. The recipient sees it once they have signed in.
  await removeWaitingEmail(db, dedupeKey(`license_delivery:${license.id}`));
  // Last: it locks counters that every other transaction with emails to customers waits for.
  const emails = await receivedEmails(db, [license.id], config.portalUrl);
  await writeToCustomers(db, emails, config, nowMs);
  return approved;
}

async function customerOfTarget(db: Database, transfer: TransferRow, nowMs: number): Promise<string> {
  const { organization_id: organizationId, to_email: email, to_discord_id: discordId } = transfer;
  const known = await knownTarget(db, organizationId, transfer);
  if (known !== null && (await customerOf(db, organizationId, known.id)) !== undefined) return known.id;
  return customerFor(db, organizationId, { email, discordId, name: null }, newId, nowMs);
}
