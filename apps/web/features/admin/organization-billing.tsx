import { Badge, Group, Progress, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { Copyable } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./admin.module.css";
import { usePlanName } from "./plan-names.ts";
import { SubscriptionNext, SubscriptionPrice, SubscriptionStatus } from "./subscription-text.tsx";

type Organization = Answer<"getPlatformOrganization">;

/** What an organization has, uses and pays. */
export function OrganizationBilling({ organization }: { organization: Organization }) {
  const { t, i18n } = useTranslation("admin");
  const planName = usePlanName();
  const { subscription } = organization;
  const figure = (value: number) => value.toLocaleString(i18n.language);
  return (
    <Panel title={t("organization.billing")}>
      <Facts>
        <dt>{t("organizations.plan")}</dt>
        <dd>
          <Group gap={6}>
            {planName(organization.plan)}
            <Text size="sm" c="dimmed">
              {t(`organization.setBy.${organization.plan_set_by}`)}
            </Text>
          </Group>
          {organization.plan_ends_at !== null && (
            <Text size="sm" c="dimmed">
              {t("organization.planEnds")} <Time at={organization.plan_ends_at} />
            </Text>
          )}
        </dd>
        <dt>{t("organizations.billing")}</dt>
        <dd>
          <Group gap={6}>
            {organization.billing_state === "active" ? (
              t("billing.active")
            ) : (
              <Badge
                size="sm"
                variant="light"
                color={organization.billing_state === "suspended" ? "red" : "orange"}
              >
                {t(`billing.${organization.billing_state}`)}
              </Badge>
            )}
            {organization.grace_ends_at !== null && (
              <Text size="sm" c="dimmed">
                {t("organization.graceEnds")} <Time at={organization.grace_ends_at} />
              </Text>
            )}
          </Group>
        </dd>
        <dt>{t("organizations.subscription")}</dt>
        <dd>
          {subscription === null ? (
            t("organization.noSubscription")
          ) : (
            <Stack gap={0}>
              <Group gap={6}>
                <SubscriptionPrice subscription={subscription} />
                <SubscriptionStatus subscription={subscription} />
              </Group>
              <Text size="sm" c="dimmed">
                {planName(subscription.plan)} · <SubscriptionNext subscription={subscription} />
              </Text>
            </Stack>
          )}
        </dd>
        {organization.stripe_customer_id !== null && (
          <>
            <dt>{t("organization.stripeCustomer")}</dt>
            <dd>
              <Copyable value={organization.stripe_customer_id} />
            </dd>
          </>
        )}
        <dt>{t("organizations.requestsToday")}</dt>
        <dd className="figures">
          {figure(organization.requests_today)}{" "}
          <Text span size="sm" c="dimmed">
            {organization.daily_limit === null
              ? t("organization.noDailyLimit")
              : t("organization.dailyLimit", { limit: figure(organization.daily_limit) })}
          </Text>
        </dd>
        {organization.limits.map(({ name, used, limit }) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{t(`limits.max_${name}`)}</dt>
            <dd className="figures">
              {limit === null
                ? figure(used)
                : t("organization.used", { used: figure(used), limit: figure(limit) })}
              {limit !== null && (
                <Progress
                  className={classes.use ?? ""}
                  size="sm"
                  value={limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}
                  color={used >= limit ? "orange" : "verdigris"}
                  aria-label={t(`limits.max_${name}`)}
                />
              )}
            </dd>
          </div>
        ))}
        {organization.plan_note !== null && (
          <>
            <dt>{t("terms.note")}</dt>
            <dd style={{ whiteSpace: "pre-wrap" }}>{organization.plan_note}</dd>
          </>
        )}
      </Facts>
    </Panel>
  );
}
