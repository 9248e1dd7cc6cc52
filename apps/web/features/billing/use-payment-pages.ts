import { useEffect, useState } from "react";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import type { PlanId } from "../../session/plan.ts";
import type { Interval } from "./billing.ts";

/** Opens the payment provider's pages, which replace the dashboard until the user comes back. */
export function usePaymentPages() {
  const { id } = useOrganization();
  const params = { organization_id: id };
  // A refusal means that someone else has changed the subscription.
  const checkout = useChange("startCheckout");
  const portal = useChange("openBillingPortal");
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    // The browser can restore the page as it was left.
    const show = ({ persisted }: PageTransitionEvent) => persisted && setLeaving(false);
    window.addEventListener("pageshow", show);
    return () => window.removeEventListener("pageshow", show);
  }, []);
  const leave = ({ url }: { readonly url: string }) => {
    setLeaving(true);
    window.location.assign(url);
  };
  return {
    openCheckout: (plan: Exclude<PlanId, "free">, interval: Interval) => {
      portal.reset();
      return checkout.mutateAsync({ params, body: { plan, interval } }).then(leave);
    },
    openPortal: () => {
      checkout.reset();
      return portal.mutateAsync({ params }).then(leave);
    },
    isBusy: isLeaving || checkout.isPending || portal.isPending,
    error: checkout.error ?? portal.error,
  };
}

export type PaymentPages = ReturnType<typeof usePaymentPages>;
