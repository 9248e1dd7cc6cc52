import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Facts } from "../../ui/facts.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Time } from "../../ui/time.tsx";
import { Waiting } from "../../ui/waiting.tsx";
import classes from "./admin.module.css";
import { AuditLogArchiveNotice } from "./audit-log-archive.tsx";
import { OpenSignUpNotice } from "./open-sign-up.tsx";
import { RevenuePanel } from "./revenue-panel.tsx";
import { Tile } from "./tile.tsx";

/** Values above these need attention. */
const slowMs = 50;
const clockApartMs = 1_000;
const readEveryMs = 10_000;
const mostCounted = 1_000_000;

export function HealthPage() {
  const { t, i18n } = useTranslation("admin");
  const sendsEmail = useSendsEmail();
  const settings = useQuery(ask("getPlatformSettings"));
  const health = useQuery({ ...ask("getPlatformHealth"), refetchInterval: readEveryMs });
  if (health.isPending) return <Waiting />;
  const figure = (value: number) => value.toLocaleString(i18n.language);
  // The server stops counting at this number.
  const countedFigure = (value: number) =>
    value < mostCounted ? figure(value) : t("health.atLeast", { number: figure(value) });
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
                <dt>{t("health.database")}</dt>
                <dd>
                  <Light isWell={data.database.latency_ms < slowMs} />
                  {data.database.kind === "sqlite" ? "SQLite" : "PostgreSQL"},{" "}
                  {t("health.latency", { ms: data.database.latency_ms.toLocaleString(i18n.language) })}
                </dd>
                <dt>{t("health.clock")}</dt>
                <dd>
                  <Light isWell={Math.abs(data.database.clock_offset_ms) < clockApartMs} />
                  {t("health.apart", { ms: figure(data.database.clock_offset_ms) })}
                </dd>
                <dt>{t("health.emails")}</dt>
                <dd>
                  <Light isWell={data.outbox.unsent === 0} />
                  {data.outbox.unsent === 0
                    ? t("health.allSent")
                    : t(sendsEmail ? "health.unsent" : "health.noEmail", {
                        count: data.outbox.unsent,
                        number: figure(data.outbox.unsent),
                      })}
                </dd>
                <dt>{t("health.lastRequest")}</dt>
                <dd>
                  {data.request_log.last_entry_at === null ? (
                    t("health.noRequest")
                  ) : (
                    <Time at={data.request_log.last_entry_at} />
                  )}
                </dd>
                <dt>{t("health.since")}</dt>
                <dd>
                  <Time at={new Date(Date.now() - data.uptime_seconds * 1_000).toISOString()} />
                </dd>
                <dt>{t("health.version")}</dt>
                <dd className="mono">{data.version}</dd>
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
function Light({ isWell }: { isWell: boolean }) {
  return <span className={classes.dot} data-warn={!isWell || undefined} aria-hidden="true" />;
}
