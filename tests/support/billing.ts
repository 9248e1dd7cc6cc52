import type { Subscription, SubscriptionStatus } from "@countersign/domain/billing/subscription";
import { type BillingTerms, inState, withSubscription } from "@countersign/domain/billing/terms";
import { billingOf, lockedBilling } from "@countersign/store/queries/billing/billing";
import { organizationById } from "@countersign/store/queries/manage/access";
import type { Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables";
import { changeTerms, termsOf } from "../../apps/server/features/billing/change-terms.ts";

export const dashboardUrl = "https://countersign.example";

/** A subscription to Pro, paid by the month. */
export function proSubscription(status: SubscriptionStatus): Subscription {
  return {
    id: "sub_1",
    status,
    plan: "pro",
    interval: "month",
    amount: 2900,
    currency: "usd",
    createdAtMs: 0,
    periodEndsAtMs: null,
    cancelsAtMs: null,
    trialEndsAtMs: null,
  };
}

/** Changes an organization's terms in a transaction of its own, as what processes a payment does. */
export async function changeTermsOf(
  store: Store,
  organizationId: string,
  nextOf: (terms: BillingTerms) => BillingTerms,
  nowMs: number,
): Promise<OrganizationRow> {
  return store.transaction(async (db) => {
    const locked = await lockedBilling(db, organizationId);
    if (locked === undefined) throw new Error("There is no such organization.");
    const next = nextOf(termsOf(locked.organization, locked.billing));
    const actor = { kind: "system", name: "Stripe" } as const;
    return changeTerms(db, { ...locked, next, actor, url: dashboardUrl }, nowMs);
  });
}

/** As if its subscription was fetched and had this status. */
export async function subscribe(
  store: Store,
  organizationId: string,
  status: SubscriptionStatus,
  nowMs: number,
): Promise<void> {
  const subscription = proSubscription(status);
  await changeTermsOf(store, organizationId, (terms) => withSubscription(terms, subscription, nowMs), nowMs);
}

/** As if a platform admin set the payment state. */
export async function setStateByHand(
  store: Store,
  organizationId: string,
  state: BillingTerms["state"],
  nowMs: number,
): Promise<void> {
  await changeTermsOf(store, organizationId, (terms) => inState(terms, state, nowMs), nowMs);
}

export async function storedTerms(store: Store, organizationId: string): Promise<BillingTerms> {
  const organization = await organizationById(store.reads, organizationId);
  if (organization === undefined) throw new Error("There is no such organization.");
  return termsOf(organization, await billingOf(store.reads, organizationId));
}
