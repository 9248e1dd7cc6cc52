import { shownAmount } from "@countersign/domain/billing/money";
import { Badge, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { FilterSelect, SearchField } from "../../ui/filters.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { shortDate } from "../../ui/time.tsx";
import { usePlanName } from "./plans.ts";
import { billingStates, overrides, plans, suspensionStates } from "./terms.ts";

const adminOrganizationsRoute = getRouteApi("/signed-in/admin/admin-layout/organizations");

type Organization = Item<"listPlatformOrganizations">;

export function OrganizationsPage() {
  const { t } = useTranslation("admin");
  const planName = usePlanName();
  const search = adminOrganizationsRoute.useSearch();
  const navigate = adminOrganizationsRoute.useNavigate();
  const { q, plan, billing, status } = search;
  const list = useInfiniteQuery(
    askPages("listPlatformOrganizations", {
      query: {
        q,
        plan,
        billing_state: billing,
        suspended: status && (status === "suspended" ? "true" : "false"),
      },
    }),
  );
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  return (
    <Page wide title={t("organizations.title")} lead={t("organizations.lead")}>
      <Stack gap="sm">
        <Group gap="xs">
          <SearchField label={t("organizations.search")} value={q} onChange={(term) => set({ q: term })} />
          <FilterSelect
            w={150}
            label={t("organizations.plan")}
            any={t("organizations.anyPlan")}
            values={plans}
            words={planName}
            value={plan}
            onChange={(value) => set({ plan: value })}
          />
          <FilterSelect
            w={220}
            label={t("organizations.billing")}
            any={t("organizations.anyBilling")}
            values={billingStates}
            words={(value) => t(`billing.${value}`)}
            value={billing}
            onChange={(value) => set({ billing: value })}
          />
          <FilterSelect
            w={160}
            label={t("organizations.status")}
            any={t("organizations.anyStatus")}
            values={suspensionStates}
            words={(value) => t(`status.${value}`)}
            value={status}
            onChange={(value) => set({ status: value })}
          />
        </Group>
        <List
          label={t("organizations.title")}
          list={list}
          columns={[
            {
              header: t("organizations.name"),
              cell: (organization) => (
                <Stack gap={0} miw={0}>
                  <Group gap={6}>
                    <GoLink to={paths.platformOrganization(organization.id)} size="sm" fw={600}>
                      {organization.name}
                    </GoLink>
                    <OrganizationStatus organization={organization} />
                  </Group>
                  <Dimmed size="xs" className="mono">
                    {organization.slug}
                  </Dimmed>
                </Stack>
              ),
            },
            {
              header: t("organizations.owner"),
              wide: true,
              cell: ({ owner }) =>
                owner === null ? (
                  "–"
                ) : (
                  <GoLink to={paths.user(owner.id)} size="sm">
                    {owner.email}
                  </GoLink>
                ),
            },
            {
              header: t("organizations.plan"),
              cell: (organization) => (
                <Group gap={6}>
                  <Text size="sm">{planName(organization.plan)}</Text>
                  {organization.billing_state !== "active" && (
                    <Badge color="orange">{t(`billing.${organization.billing_state}`)}</Badge>
                  )}
                  {hasOverrides(organization) && (
                    <Badge variant="default">{t("organizations.customLimits")}</Badge>
                  )}
                </Group>
              ),
            },
            {
              header: t("organizations.subscription"),
              wide: true,
              cell: ({ subscription }) => <ListedSubscription subscription={subscription} />,
            },
            { header: t("organizations.requestsToday"), wide: true, count: (row) => row.requests_today },
            { header: t("organizations.licenses"), wide: true, count: (row) => row.license_count },
            { header: t("organizations.created"), wide: true, at: (row) => row.created_at },
          ]}
          empty={{ icon: "search", title: t("nothingFound"), words: t("organizations.none") }}
        />
      </Stack>
    </Page>
  );
}

function hasOverrides(organization: Organization): boolean {
  return [...overrides, "daily_limit_override" as const, "daily_emails_override" as const].some(
    (name) => organization[name] !== null,
  );
}

function OrganizationStatus({ organization }: { organization: Organization }) {
  const { t } = useTranslation("admin");
  if (organization.suspended_at !== null) return <Badge color="red">{t("status.suspended")}</Badge>;
  if (organization.delete_after !== null) return <Badge color="orange">{t("status.deletionPending")}</Badge>;
  return null;
}

type Subscription = NonNullable<Item<"listPlatformOrganizations">["subscription"]>;

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
function ListedSubscription({ subscription }: { subscription: Subscription | null }) {
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
