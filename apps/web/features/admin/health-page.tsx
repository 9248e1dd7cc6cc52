import { shownAmount } from "@countersign/domain/billing/money";
import { Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import type { PageLink } from "../../ui/links.tsx";
import { GoLink } from "../../ui/links.tsx";
import { Page, Waiting } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Fact, Facts, Panel } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./admin.module.css";
import { usePlanName } from "./plans.ts";
import { AuditLogArchiveNotice, OpenSignUpNotice } from "./settings-notices.tsx";
import { billingStates, plans } from "./terms.ts";

/** Values above these need attention. */
const slowMs = 50;
const clockApartMs = 1_000;
const readEveryMs = 10_000;
const maxCounted = 1_000_000;

export function HealthPage() {
  const { t, i18n } = useTranslation("admin");
  const sendsEmail = useSendsEmail();
  const settings = useQuery(ask("getPlatformSettings"));
  const health = useQuery({ ...ask("getPlatformHealth"), refetchInterval: readEveryMs });
  if (health.isPending) return <Waiting />;
  const figure = (value: number) => value.toLocaleString(i18n.language);
  // The server stops counting at this number.
  const countedFigure = (value: number) =>
    value < maxCounted ? figure(value) : t("health.atLeast", { number: figure(value) });
  const { data } = health;
  return (
    <Page title={t("health.title")} lead={t("health.lead")}>
      <ProblemAlert error={health.error} />
      {data !== undefined && (
        <Stack>
          {settings.data !== undefined && <OpenSignUpNotice settings={settings.data} />}
          {settings.data !== undefined && <AuditLogArchiveNotice settings={settings.data} />}
          <div className={classes.tiles}>
            <Tile label={t("health.organizations")} to={paths.platformOrganizations()}>
              {countedFigure(data.counts.organizations)}
            </Tile>
            <Tile label={t("health.users")} to={paths.users()}>
              {countedFigure(data.counts.users)}
            </Tile>
            <Tile label={t("health.products")}>{countedFigure(data.counts.products)}</Tile>
            <Tile label={t("health.licenses")}>{figure(data.counts.licenses)}</Tile>
          </div>
          <div>
            <Panel title={t("health.node")}>
              <Facts>
                <Fact name={t("health.database")}>
                  <StatusDot isWell={data.database.latency_ms < slowMs} />
                  {data.database.kind === "sqlite" ? "SQLite" : "PostgreSQL"},{" "}
                  {t("health.latency", { ms: data.database.latency_ms.toLocaleString(i18n.language) })}
                </Fact>
                <Fact name={t("health.clock")}>
                  <StatusDot isWell={Math.abs(data.database.clock_offset_ms) < clockApartMs} />
                  {t("health.apart", { ms: figure(data.database.clock_offset_ms) })}
                </Fact>
                <Fact name={t("health.emails")}>
                  <StatusDot isWell={data.outbox.unsent === 0} />
                  {data.outbox.unsent === 0
                    ? t("health.allSent")
                    : t(sendsEmail ? "health.unsent" : "health.noEmail", {
                        count: data.outbox.unsent,
                        number: figure(data.outbox.unsent),
                      })}
                </Fact>
                <Fact name={t("health.lastRequest")}>
                  {data.request_log.last_entry_at === null ? (
                    t("health.noRequest")
                  ) : (
                    <Time at={data.request_log.last_entry_at} />
                  )}
                </Fact>
                <Fact name={t("health.since")}>
                  <Time at={new Date(Date.now() - data.uptime_seconds * 1_000).toISOString()} />
                </Fact>
                <Fact name={t("health.version")} className="mono">
                  {data.version}
                </Fact>
              </Facts>
            </Panel>
            <RevenuePanel />
          </div>
        </Stack>
      )}
    </Page>
  );
}

/** Next to text with the same meaning. */
function StatusDot({ isWell }: { isWell: boolean }) {
  return <span className={classes.dot} data-warn={!isWell || undefined} aria-hidden="true" />;
}

/** What subscriptions bring in, and the organizations by plan and billing state. */
function RevenuePanel() {
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

/** One figure, with a link to its page if there is one. */
function Tile({ label, to, children }: { label: string; to?: PageLink; children: ReactNode }) {
  const content = (
    <>
      <Dimmed>{label}</Dimmed>
      <div className={classes.figure}>{children}</div>
    </>
  );
  return to === undefined ? (
    <div className={classes.tile}>{content}</div>
  ) : (
    <Link className={classes.tile ?? ""} {...to}>
      {content}
    </Link>
  );
}
