import { randomBytes } from "node:crypto";
import { generateLicenseKey, maskedKey, matchForm } from "@countersign/domain/licenses/key";
import { transferRefusal } from "@countersign/domain/transfers/decide";
import { newId } from "@countersign/store/new-id";
import { brandingOf } from "@countersign/store/queries/branding/branding";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { customerOf } from "@countersign/store/queries/customers/views";
import { changeLicense, resettingIps } from "@countersign/store/queries/licenses/changes";
import { ipsAtOnce } from "@countersign/store/queries/licenses/ips";
import {
  type LicenseView,
  licenseViews,
  ownLicenseViews,
  showLicense,
} from "@countersign/store/queries/licenses/views";
import { removeWaitingEmail } from "@countersign/store/queries/mail/waiting-emails";
import { productById } from "@countersign/store/queries/products/products";
import { decideTransfer, knownTarget } from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import type { TransferRow } from "@countersign/store/tables/portal";
import type { ProductRow } from "@countersign/store/tables/products";
import type { OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit, difference } from "../audit-log/record.ts";
import { recordEvents, transferEvent } from "../events/record.ts";
import { recordExpiredBefore } from "../events/record-changes.ts";
import { auditable, type Drained, drain } from "../licenses/change.ts";
import { writeToCustomers } from "../mail/customer-emails.ts";
import { dedupeKey, type Email, writeEmail } from "../mail/email.ts";
import {
  portalLink,
  receivedEmails,
  type TransferEmailFacts,
  transferCompletedEmail,
} from "../mail/transfer-emails.ts";

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

interface ApprovedTransfer extends Licensed {
  readonly transfer: TransferRow;
  readonly approval: Approval;
  /** What was removed before the transaction. */
  readonly drained: Drained;
}

/**
 * Approves a pending transfer and gives the locked license to its recipient. Their customer record is created if the
 * organization has none; an existing one stays as the organization wrote it, and so does that of the former customer.
 */
export async function carryOutTransfer(
  db: Database,
  context: OrganizationContext,
  { transfer, license, product, approval, drained }: ApprovedTransfer,
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

/** A license and its product, as they are now. */
export interface Licensed {
  readonly license: LicenseView;
  readonly product: ProductRow;
}

/**
 * The license of a transfer. In a transaction, lock it first, and the transfer after it: everything that changes the
 * license's customer or deletes it does so in this order.
 */
export async function licensedOf(
  db: Database,
  context: OrganizationContext,
  licenseId: string,
): Promise<Licensed> {
  const [license] = await ownLicenseViews(db, context.organization.id, [licenseId]);
  const product = license === undefined ? undefined : await productById(db, license.product_id);
  if (license === undefined || product === undefined) throw new Problem("not_found");
  return { license, product };
}

const nothingDrained: Drained = new Map();

/**
 * Removes the IP addresses that are too many for the transaction of the transfer. `check` throws if the transfer would
 * be refused, and returns null if the IP addresses stay.
 */
export async function drainForTransfer(
  context: OrganizationContext,
  licenseId: string,
  check: () => Promise<Licensed | null>,
): Promise<Drained> {
  const { id: organizationId } = context.organization;
  const [license] = await ownLicenseViews(context.store.reads, organizationId, [licenseId]);
  if (license === undefined || license.ip_count <= ipsAtOnce) return nothingDrained;
  const transferable = await check();
  if (transferable === null || transferable.product.transfer_resets_ips === 0) return nothingDrained;
  return drain(context.store, [licenseId]);
}

/** Writes an email to the customer who has, or had, the license. Those known by their Discord ID alone get none. */
export async function writeToFormerHolder(
  db: Database,
  context: OrganizationContext,
  transfer: TransferRow,
  product: Pick<ProductRow, "name" | "locale">,
  compose: (email: string, facts: TransferEmailFacts) => Email,
): Promise<void> {
  if (transfer.from_email === null) return;
  const { id, name, slug, locale } = context.organization;
  const branding = await brandingOf(db, id);
  const facts = {
    transfer,
    sender: branding?.display_name ?? name,
    replyTo: branding?.support_email ?? null,
    product: product.name,
    language: product.locale ?? locale,
    url: portalLink(context.config.portalUrl, slug),
  };
  await writeEmail(db, { ...compose(transfer.from_email, facts), organizationId: id }, context.nowMs);
}
