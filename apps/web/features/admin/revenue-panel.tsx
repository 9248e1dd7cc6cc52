import { shownAmount } from "@countersign/domain/billing/money";
import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import classes from "./admin.module.css";
import { usePlanName } from "./plan-names.ts";
import { billingStates, plans } from "./terms.ts";
import { Tile } from "./tile.tsx";

/** What subscriptions bring in, and the organizations by plan and billing state. */
export function RevenuePanel() {
  const { t, i18n } = useTranslation("admin");
  const planName = usePlanName();
  const revenue = useQuery(ask("getRevenue"));
  const settings = useQuery(ask("getPlatformSettings"));
  if (revenue.data === undefined)
    return revenue.error === null ? null : <ProblemAlert error={revenue.error} />;
  const { recurring, trial_count: trials, organizations } = revenue.data;
  const figure = (value: number) => value.toLocaleString(i18n.language);
  const subscriptions = recurring.reduce((sum, { subscription_count: count }) => sum + count, 0);
  const isPaid = (settings.data?.payments ?? "off") !== "off" || subscriptions > 0 || trials > 0;
  const countOf = (plan: string, state: string) =>
    organizations.find((row) => row.plan === plan && row.billing_state === state)?.count ?? 0;
  const states = billingStates.filter(
    (state) => state === "active" || plans.some((plan) => countOf(plan, state) > 0),
  );
  const currency = settings.data?.currency ?? "usd";
  const amounts = recurring.length > 0 ? recurring : [{ currency, monthly_amount: 0 }];
  return (
    <Panel
      title={t(isPaid ? "revenue.title" : "revenue.organizations")}
      {...(isPaid ? { lead: t("revenue.lead") } : {})}
    >
      {isPaid && (
        <div className={classes.tiles}>
          {amounts.map((row) => (
            <Tile key={row.currency} label={t("revenue.monthly", { currency: row.currency.toUpperCase() })}>
              {shownAmount(row.monthly_amount, row.currency, i18n.language)}
            </Tile>
          ))}
          <Tile label={t("revenue.subscriptions")}>{figure(subscriptions)}</Tile>
          <Tile label={t("revenue.trials")}>{figure(trials)}</Tile>
        </div>
      )}
      <Table.ScrollContainer maw={560} minWidth={0} scrollAreaProps={{ offsetScrollbars: false }}>
        <Table aria-label={t("revenue.organizations")} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("organizations.plan")}</Table.Th>
              {states.map((state) => (
                <Table.Th key={state} ta="right">
                  {t(`billing.${state}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {plans.map((plan) => (
              <Table.Tr key={plan}>
                <Table.Td>
                  <GoLink to={paths.platformOrganizations({ plan })} inherit>
                    {planName(plan)}
                  </GoLink>
                </Table.Td>
                {states.map((state) => {
                  const count = countOf(plan, state);
                  return (
                    <Table.Td key={state} ta="right" className="figures">
                      {count === 0 ? (
                        <Text inherit span c="dimmed">
                          0
                        </Text>
                      ) : (
                        <GoLink
                          to={paths.platformOrganizations({ plan, billing: state })}
                          inherit
                          aria-label={t("revenue.link", {
                            count,
                            number: figure(count),
                            plan: planName(plan),
                            state: t(`billing.${state}`),
                          })}
                        >
                          {figure(count)}
                        </GoLink>
                      )}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  );
}
