import { shownAmount } from "@countersign/domain/billing/money";
import { Badge, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { shortDate } from "../../ui/time.tsx";

export type Subscription = NonNullable<Item<"listPlatformOrganizations">["subscription"]>;

/** What a subscription costs per interval. */
export function SubscriptionPrice({ subscription }: { subscription: Subscription }) {
  const { t, i18n } = useTranslation("admin");
  const price = shownAmount(subscription.amount, subscription.currency, i18n.language);
  return <>{t(`price.${subscription.interval}`, { price })}</>;
}

/** When it is paid next, or when it ends. */
export function SubscriptionNext({ subscription }: { subscription: Subscription }) {
  const { t, i18n } = useTranslation("admin");
  const date = (at: string) => shortDate(at, i18n.language);
  if (subscription.cancels_at !== null)
    return <>{t("subscription.ends", { date: date(subscription.cancels_at) })}</>;
  if (subscription.status === "trialing" && subscription.trial_ends_at !== null)
    return <>{t("subscription.trialEnds", { date: date(subscription.trial_ends_at) })}</>;
  if (subscription.period_ends_at !== null && ["active", "past_due", "unpaid"].includes(subscription.status))
    return <>{t("subscription.renews", { date: date(subscription.period_ends_at) })}</>;
  return <>{t(`subscription.status.${subscription.status}`)}</>;
}

/** Unless it is active, which is the normal state. */
export function SubscriptionStatus({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation("admin");
  const { status } = subscription;
  const isOverdue = status === "past_due" || status === "unpaid";
  return (
    <Badge color={isOverdue ? "orange" : status === "active" ? "verdigris" : "gray"}>
      {t(`subscription.status.${status}`)}
    </Badge>
  );
}

/** In a list: the price, and when it is paid next. */
export function ListedSubscription({ subscription }: { subscription: Subscription | null }) {
  if (subscription === null) return <Dimmed>–</Dimmed>;
  return (
    <>
      <Text size="sm" className="figures">
        <SubscriptionPrice subscription={subscription} />
      </Text>
      <Dimmed size="xs">
        <SubscriptionNext subscription={subscription} />
      </Dimmed>
    </>
  );
}
