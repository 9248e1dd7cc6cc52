import { createHash } from "node:crypto";
import { billingOf, lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { userById } from "@countersign/store/queries/identity/users";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { Problem } from "../../http/problem.ts";
import { stripeClient } from "./stripe-client.ts";
import { type PaymentParts, syncEveryMs } from "./sync.ts";

/**
 * The organization's customer in Stripe, created if there is none. `lost` is a stored customer that Stripe does not
 * know: it was deleted there, or belongs to another account or mode, and is replaced.
 */
export async function customerOf(
  { store, settings }: PaymentParts,
  organization: OrganizationRow,
  lost: string | null = null,
): Promise<string> {
  const stored = (await billingOf(store.reads, organization.id))?.stripe_customer_id ?? null;
  if (stored !== null && stored !== lost) return stored;
  const owner =
    organization.owner_id === null ? undefined : await userById(store.reads, organization.owner_id);
  const details = {
    name: organization.name,
    ...(owner === undefined ? {} : { email: owner.email }),
    preferred_locales: [organization.locale],
    metadata: { organization_id: organization.id },
  };
  const stripe = await stripeClient(settings);
  const { id } = await stripe.customers.create(details, {
    idempotencyKey: keyOf(settings.mode, lost, details),
  });
  const nowMs = await store.clock();
  return store.transaction(async (db) => {
    const locked = await lockedBilling(db, organization.id);
    if (locked === undefined || locked.organization.deleted_at !== null) throw new Problem("not_found");
    const current = locked.billing.stripe_customer_id;
    // Another request was faster.
    if (current !== null && current !== lost) return current;
    await updateBilling(db, organization.id, {
      stripe_customer_id: id,
      sync_due_at: nowMs + syncEveryMs,
      updated_at: nowMs,
    });
    return id;
  });
}

/**
 * The same for simultaneous requests, so that they create one customer. Stripe refuses a key that was used with other
 * details, so these are part of it.
 */
function keyOf(mode: string, lost: string | null, details: object): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([mode, lost, details]))
    .digest("hex");
  return `countersign-customer-${hash}`;
}
