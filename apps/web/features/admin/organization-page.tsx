import { Badge, Group, Stack } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { Copyable } from "../../ui/copy.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Back, GoLink } from "../../ui/links.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Page } from "../../ui/page.tsx";
import { Fact, Facts, Panel } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./admin.module.css";
import { ImpersonationPanel } from "./impersonation-panel.tsx";
import { SubscriptionNext, SubscriptionPrice, SubscriptionStatus } from "./organizations-page.tsx";
import { usePlanName } from "./plans.ts";
import { SuspensionPanel } from "./suspension-panel.tsx";
import { TermsPanel } from "./terms-panel.tsx";
import { AllowancePanel } from "./user-page.tsx";

const adminOrganizationRoute = getRouteApi("/signed-in/admin/admin-layout/organizations/$id");

export function OrganizationPage() {
  const { t, i18n } = useTranslation("admin");
  const { id } = adminOrganizationRoute.useParams();
  const params = { organization_id: id };
  const { data: organization } = useSuspenseQuery(ask("getPlatformOrganization", { params }));
  const suspend = useChange("suspendPlatformOrganization");
  const restore = useChange("restorePlatformOrganization");
  const figure = (value: number) => value.toLocaleString(i18n.language);
  return (
    <Page
      narrow
      title={organization.name}
      above={<Back to={paths.platformOrganizations()}>{t("organizations.title")}</Back>}
      beside={
        organization.suspended_at !== null && (
          <Badge size="md" color="red">
            {t("status.suspended")}
          </Badge>
        )
      }
    >
      <Panel title={t("organization.details")}>
        <Facts>
          <Fact name={t("organizations.owner")}>
            {organization.owner === null ? (
              "–"
            ) : (
              <Stack gap={0}>
                <GoLink to={paths.user(organization.owner.id)} underline="always">
                  {organization.owner.name}
                </GoLink>
                <Dimmed>{organization.owner.email}</Dimmed>
              </Stack>
            )}
          </Fact>
          <Fact name={t("organization.slug")} className="mono">
            {organization.slug}
          </Fact>
          <Fact name={t("organization.waiting")}>{figure(organization.waiting_email_count)}</Fact>
          <Fact name={t("organizations.created")}>
            <Time at={organization.created_at} />
          </Fact>
          {organization.delete_after !== null && (
            <Fact name={t("status.deletionPending")}>
              <Time at={organization.delete_after} />
            </Fact>
          )}
          <Fact name="ID">
            <Copyable value={organization.id} />
          </Fact>
          <Fact name={t("sections.audit")}>
            <GoLink to={paths.platformAuditLog({ organization: organization.id })}>
              {t("organization.log")}
            </GoLink>
          </Fact>
        </Facts>
      </Panel>
      <ImpersonationPanel organization={organization} />
      <OrganizationBilling organization={organization} />
      <TermsPanel key={organization.updated_at} organization={organization} />
      {organization.owner !== null && <AllowancePanel userId={organization.owner.id} ofOwner />}
      <SuspensionPanel
        of="organization"
        name={organization.name}
        suspendedAt={organization.suspended_at}
        reason={organization.suspension_reason}
        licenseCount={organization.license_count}
        suspend={(reason) => suspend.mutateAsync({ params, body: { reason } })}
        restore={() => restore.mutateAsync({ params })}
      />
    </Page>
  );
}

type Organization = Answer<"getPlatformOrganization">;

/** What an organization has, uses and pays. */
function OrganizationBilling({ organization }: { organization: Organization }) {
  const { t, i18n } = useTranslation("admin");
  const planName = usePlanName();
  const { subscription } = organization;
  const figure = (value: number) => value.toLocaleString(i18n.language);
  return (
    <Panel title={t("organization.billing")}>
      <Facts>
        <Fact name={t("organizations.plan")}>
          <Group gap={6}>
            {planName(organization.plan)}
            <Dimmed>{t(`organization.setBy.${organization.plan_set_by}`)}</Dimmed>
          </Group>
          {organization.plan_ends_at !== null && (
            <Dimmed>
              {t("organization.planEnds")} <Time at={organization.plan_ends_at} />
            </Dimmed>
          )}
        </Fact>
        <Fact name={t("organizations.billing")}>
          <Group gap={6}>
            {organization.billing_state === "active" ? (
              t("billing.active")
            ) : (
              <Badge color={organization.billing_state === "suspended" ? "red" : "orange"}>
                {t(`billing.${organization.billing_state}`)}
              </Badge>
            )}
            {organization.grace_ends_at !== null && (
              <Dimmed>
                {t("organization.graceEnds")} <Time at={organization.grace_ends_at} />
              </Dimmed>
            )}
          </Group>
        </Fact>
        <Fact name={t("organizations.subscription")}>
          {subscription === null ? (
            t("organization.noSubscription")
          ) : (
            <Stack gap={0}>
              <Group gap={6}>
                <SubscriptionPrice subscription={subscription} />
                <SubscriptionStatus subscription={subscription} />
              </Group>
              <Dimmed>
                {planName(subscription.plan)} · <SubscriptionNext subscription={subscription} />
              </Dimmed>
            </Stack>
          )}
        </Fact>
        {organization.stripe_customer_id !== null && (
          <Fact name={t("organization.stripeCustomer")}>
            <Copyable value={organization.stripe_customer_id} />
          </Fact>
        )}
        <Fact name={t("organizations.requestsToday")} className="figures">
          {figure(organization.requests_today)}{" "}
          <Dimmed span>
            {organization.daily_limit === null
              ? t("organization.noDailyLimit")
              : t("organization.dailyLimit", { limit: figure(organization.daily_limit) })}
          </Dimmed>
        </Fact>
        {organization.plan_note !== null && (
          <Fact name={t("terms.note")} style={{ whiteSpace: "pre-wrap" }}>
            {organization.plan_note}
          </Fact>
        )}
      </Facts>
      <div className={classes.meters}>
        {organization.limits.map(({ name, used, limit }) => (
          <Meter key={name} name={t(`limits.max_${name}`)} used={used} limit={limit} />
        ))}
      </div>
    </Panel>
  );
}
