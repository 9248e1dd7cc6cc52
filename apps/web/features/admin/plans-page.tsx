import { shownAmount } from "@countersign/domain/billing/money";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { SideDialog } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { Page, Waiting } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Fact, Facts } from "../../ui/section.tsx";
import classes from "./admin.module.css";
import { PlanForm } from "./plan-form.tsx";
import { hasExamplePrices, isInDays, planLimits, useNoLimit } from "./plans.ts";
import { AuditLogArchiveNotice } from "./settings-notices.tsx";

const plansRoute = getRouteApi("/signed-in/admin/admin-layout/plans");

type Plan = Item<"listPlans">;

/** The plans with their limits and prices. */
export function PlansPage() {
  const { t } = useTranslation("admin");
  const { edit } = plansRoute.useSearch();
  const navigate = plansRoute.useNavigate();
  const plans = useQuery(ask("listPlans"));
  const revenue = useQuery(ask("getRevenue"));
  const settings = useQuery(ask("getPlatformSettings"));
  if (plans.isPending) return <Waiting />;
  const open = (plan: Plan["plan"] | undefined) => void navigate({ search: { edit: plan }, replace: true });
  const edited = plans.data?.data.find(({ plan }) => plan === edit);
  const countOf = (plan: Plan["plan"]) =>
    revenue.data?.organizations
      .filter((row) => row.plan === plan)
      .reduce((sum, { count }) => sum + count, 0) ?? null;
  return (
    <Page title={t("planList.title")} lead={t("planList.lead")}>
      <ProblemAlert error={plans.error} />
      {settings.data !== undefined && <AuditLogArchiveNotice settings={settings.data} />}
      <div className={classes.plans}>
        {plans.data?.data.map((plan) => (
          <PlanCard key={plan.plan} plan={plan} count={countOf(plan.plan)} onEdit={() => open(plan.plan)} />
        ))}
      </div>
      <SideDialog
        opened={edited !== undefined}
        onClose={() => open(undefined)}
        position="right"
        size="lg"
        title={edited === undefined ? "" : t("planList.editTitle", { name: edited.name })}
      >
        {edited !== undefined && (
          <PlanForm
            key={edited.updated_at}
            plan={edited}
            count={countOf(edited.plan)}
            onSaved={() => open(undefined)}
          />
        )}
      </SideDialog>
    </Page>
  );
}

interface PlanCardProps {
  readonly plan: Plan;
  /** How many organizations are on it; null if that is not known. */
  readonly count: number | null;
  readonly onEdit: () => void;
}

function PlanCard({ plan, count, onEdit }: PlanCardProps) {
  const { t, i18n } = useTranslation("admin");
  const heading = useId();
  const noLimit = useNoLimit();
  const isExample = hasExamplePrices(plan);
  const figure = (value: number) => value.toLocaleString(i18n.language);
  const prices = (
    [
      ["month", plan.monthly_price],
      ["year", plan.yearly_price],
    ] as const
  ).flatMap(([per, amount]) =>
    amount === null ? [] : [t(`price.${per}`, { price: shownAmount(amount, plan.currency, i18n.language) })],
  );
  return (
    <section className={classes.plan} aria-labelledby={heading}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} id={heading} style={{ overflowWrap: "anywhere" }}>
            {plan.name}
          </Title>
          {count !== null && (
            <GoLink to={paths.platformOrganizations({ plan: plan.plan })}>
              {t("planList.organizations", { count, number: figure(count) })}
            </GoLink>
          )}
        </div>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="edit" size={14} />}
          aria-label={t("planList.edit", { name: plan.name })}
          onClick={onEdit}
          style={{ flexShrink: 0 }}
        >
          {t("everywhere:edit")}
        </Button>
      </Group>
      <Stack gap={0}>
        {prices.length === 0 ? (
          <Text c="dimmed">{t(plan.plan === "free" ? "planList.free" : "planList.noPrice")}</Text>
        ) : (
          prices.map((price) => (
            <Text key={price} fw={600} className="figures">
              {price}
            </Text>
          ))
        )}
        {prices.length > 0 && (isExample || !plan.can_be_bought) && (
          <Dimmed>{t(isExample ? "planList.example" : "planList.noPayments")}</Dimmed>
        )}
        {plan.trial_days > 0 && <Dimmed>{t("planList.trial", { count: plan.trial_days })}</Dimmed>}
      </Stack>
      <Facts>
        {planLimits.map((name) => {
          const limit = plan[name];
          return (
            <Fact key={name} name={t(`limits.${name}`)} className="figures">
              {limit === null
                ? noLimit(name)
                : isInDays(name)
                  ? t("days", { count: limit, number: figure(limit) })
                  : figure(limit)}
            </Fact>
          );
        })}
        <Fact name={t("limits.version_module")}>
          {t(plan.version_module ? "planList.included" : "planList.notIncluded")}
        </Fact>
      </Facts>
    </section>
  );
}
