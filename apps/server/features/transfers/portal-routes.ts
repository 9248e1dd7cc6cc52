import * as contract from "@countersign/contract/portal/licenses";
import { maskedKey } from "@countersign/domain/licenses/key";
import {
  nextRequestAtMs,
  requestRefusal,
  requestsPerDay,
  reviewReason,
} from "@countersign/domain/transfers/decide";
import { newId } from "@countersign/store/new-id";
import { identityOf } from "@countersign/store/queries/customers/identify";
import { showLicense } from "@countersign/store/queries/licenses/views";
import { portalLicenseReference } from "@countersign/store/queries/portal/licenses";
import {
  addTransfer,
  blockedCustomers,
  type KnownTarget,
  knownTarget,
  lastRequests,
  lastTransferredAt,
  pendingTransferOf,
} from "@countersign/store/queries/transfers/transfers";
import { portalTransferView, transfersOfPerson } from "@countersign/store/queries/transfers/views";
import type { Database } from "@countersign/store/store";
import type { TransferRow } from "@countersign/store/tables/portal";
import type { z } from "zod";
import {
  type BoundRoute,
  bind,
  type Context,
  type CustomerContext,
  type CustomerLicenseContext,
  type CustomerTransferContext,
} from "../../api/context.ts";
import { isTheirsNow, requireSession } from "../../api/customer-access.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { recordEvents, transferEvent } from "../events/record.ts";
import { transferRequestedEmail } from "../mail/transfer-emails.ts";
import {
  carryOutTransfer,
  drainForTransfer,
  type Licensed,
  licensedOf,
  writeToFormerHolder,
} from "./carry-out.ts";
import { endTransfer, recipientOf } from "./end.ts";
import { remindOwner } from "./remind.ts";
import { showPortalTransfer } from "./show.ts";

export const portalTransferRoutes: readonly BoundRoute[] = [
  bind(contract.requestTransfer, (context, { body }) => request(context, body)),

  bind(contract.listPortalTransfers, async (context, { query }) => {
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await transfersOfPerson(context.store.reads, context.actor.personId, {
      beforeId: after === null ? null : String(after[0]),
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => [row.id], showPortalTransfer);
  }),

  bind(contract.cancelTransfer, (context) =>
    context.transaction(async (db) => {
      const { transfer } = context;
      await context.store.bulk.lockLicenses(db, [transfer.license_id]);
      if ((await portalTransferView(db, transfer.id)) === undefined || !(await mayCancel(db, context)))
        throw new Problem("not_found");
      const cancelled = await endTransfer(db, context, transfer, { state: "cancelled", by: "customer" });
      if (cancelled === undefined) throw new Problem("transfer_not_pending");
      const view = await portalTransferView(db, transfer.id);
      if (view === undefined) throw new Problem("not_found");
      return showPortalTransfer(view);
    }),
  ),
];

/** The requester, and the customer who has the license now. */
async function mayCancel(db: Database, context: CustomerTransferContext): Promise<boolean> {
  const { personId } = context.actor;
  const { requested_by: requesterId, license_id: licenseId } = context.transfer;
  if (requesterId === personId) return true;
  const license = await portalLicenseReference(db, licenseId);
  return license !== undefined && isTheirsNow(db, license, personId);
}

type RequestBody = z.output<typeof contract.requestTransfer.body>;
type Target = Pick<TransferRow, "to_email" | "to_discord_id">;

/** Requests a transfer in one transaction, which also carries it out if the product approves it automatically. */
async function request(context: CustomerLicenseContext, body: RequestBody) {
  const target = targetOf(body);
  const { id: licenseId } = context.license;
  const drained = await drainForTransfer(context, licenseId, async () => {
    const { licensed, review } = await checkedRequest(context.store.reads, context, target);
    return review === null ? licensed : null;
  });
  const { personId, sessionId } = context.actor;
  return context.transaction(async (db) => {
    // Before the license, as when the account is deleted: a transfer must not name an account that no longer exists.
    await requireSession(db, personId, sessionId);
    await context.store.bulk.lockLicenses(db, [licenseId]);
    const checked = await checkedRequest(db, context, target);
    const transfer = transferOf(context, checked, target, body.message ?? null);
    await record(db, context, transfer, checked);
    if (checked.review === null) {
      const approval = { by: "system", name: null } as const;
      await carryOutTransfer(db, context, { transfer, ...checked.licensed, approval, drained });
    } else {
      await writeToFormerHolder(db, context, transfer, checked.licensed.product, transferRequestedEmail);
      await remindOwner(db, transfer.organization_id, context.config.url, context.nowMs);
    }
    const view = await portalTransferView(db, transfer.id);
    if (view === undefined) throw new Error("A transfer that was just written does not exist.");
    return showPortalTransfer(view);
  });
}

function targetOf({ email, discord_id: discordId }: RequestBody): Target {
  if (email !== undefined && discordId !== undefined)
    throw invalid("discord_id", "conflicts_with", { other: "email" });
  if (email === undefined && discordId === undefined) throw invalid("email", "email_or_discord_id");
  return { to_email: email ?? null, to_discord_id: discordId ?? null };
}

interface CheckedRequest {
  readonly licensed: Licensed;
  readonly customerId: string;
  readonly known: KnownTarget | null;
  readonly review: TransferRow["review_reason"];
}

/** Whether the request can be made now, and whether someone has to review it. */
async function checkedRequest(
  db: Database,
  context: CustomerLicenseContext,
  target: Target,
): Promise<CheckedRequest> {
  const { nowMs } = context;
  const { id: licenseId } = context.license;
  const holder = await portalLicenseReference(db, licenseId);
  // It may have been given to someone else since the request was authorized.
  if (holder === undefined || !(await isTheirsNow(db, holder, context.actor.personId)))
    throw new Problem("not_found");
  const licensed = await licensedOf(db, context, licenseId);
  const { license, product } = licensed;
  const refusal = requestRefusal({
    productStatus: product.status,
    isRevoked: license.revoked_at !== null,
    transfers: product.transfers,
    hasPending: (await pendingTransferOf(db, licenseId)) !== undefined,
  });
  if (refusal !== null) throw new Problem(refusal);
  const recipient = identityOf({ email: target.to_email, discordId: target.to_discord_id });
  if (recipient.email !== null && recipient.email === holder.identity_email)
    throw invalid("email", "already_holder");
  if (recipient.discord_id !== null && recipient.discord_id === holder.identity_discord_id)
    throw invalid("discord_id", "already_holder");
  const nextAtMs = nextRequestAtMs(await lastRequests(db, licenseId, requestsPerDay), nowMs);
  if (nextAtMs !== null) {
    const headers = { "retry-after": String(Math.ceil((nextAtMs - nowMs) / 1_000)) };
    throw new Problem("transfer_limit_reached", { limit: requestsPerDay }, { headers });
  }
  const known = await knownTarget(db, license.organization_id, target);
  const blocked = await blockedCustomers(
    db,
    license.organization_id,
    known === null ? [] : [known.id],
    nowMs,
  );
  const review = reviewReason({
    mode: product.transfers === "automatic" ? "automatic" : "review",
    cooldownDays: product.transfer_cooldown_days,
    createdAtMs: license.created_at,
    lastTransferredAtMs: await lastTransferredAt(db, licenseId),
    targetBlocked: blocked.size > 0,
    nowMs,
  });
  return { licensed, customerId: holder.customer_id, known, review };
}

function transferOf(
  context: CustomerContext,
  { licensed: { license }, customerId, review }: CheckedRequest,
  target: Target,
  message: string | null,
): TransferRow {
  return {
    id: newId(),
    organization_id: license.organization_id,
    product_id: license.product_id,
    license_id: license.id,
    license_key_hint: maskedKey(license.license_key),
    state: "pending",
    from_customer_id: customerId,
    from_email: license.customer_email,
    from_discord_id: license.customer_discord_id,
    from_name: license.customer_name,
    ...target,
    to_customer_id: null,
    message: message === "" ? null : message,
    review_reason: review,
    requested_by: context.actor.personId,
    requested_at: context.nowMs,
    decided_at: null,
    decided_by: null,
    decided_by_name: null,
    reason: null,
    updated_at: context.nowMs,
  };
}

async function record(
  db: Database,
  context: Context,
  transfer: TransferRow,
  { licensed: { license }, known }: CheckedRequest,
): Promise<void> {
  await addTransfer(db, transfer);
  await recordEvents(db, context.nowMs, transferEvent(transfer, known, showLicense(license, context.nowMs)));
  await audit(db, context, {
    action: "license.transfer_requested",
    subject: { kind: "license", id: license.id, name: maskedKey(license.license_key) },
    after: recipientOf(transfer),
  });
}
