import { Anchor, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import type { PlanId } from "../../session/plan.ts";
import { Panel } from "../../ui/section.tsx";
import { type Billing, contactHref, type Interval, isSetByOperator } from "./billing.ts";

/** Whom to ask about another plan: the operator's contact, or the operator of this server in general. */
export function AskOperator({ contact }: { readonly contact: string | null }) {
  const href = contactHref(contact);
  return (
    <Text>
      {href === null ? (
        <Trans ns="billing" i18nKey="ask.operator" />
      ) : (
        <Trans
          ns="billing"
          i18nKey="ask.contact"
          values={{ contact }}
          components={{ a: <Anchor href={href} inherit underline="always" rel="noopener" /> }}
        />
      )}
    </Text>
  );
}

/** For organizations that cannot buy a plan here. */
export function AskPanel({ billing }: { readonly billing: Billing }) {
  const { t } = useTranslation("billing");
  return (
    <Panel title={t("ask.title")}>
      <div>
        <Text>{t(isSetByOperator(billing) ? "ask.setByOperator" : "ask.noPayments")}</Text>
        {/* Without a contact, the sentence says it all. */}
        {contactHref(billing.contact) !== null && <AskOperator contact={billing.contact} />}
      </div>
    </Panel>
  );
}

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
