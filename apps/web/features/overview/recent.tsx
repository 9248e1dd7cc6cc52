import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { Lines } from "./license-trend.tsx";
import classes from "./overview.module.css";
import { groupRepeats, type Run } from "./overview.ts";

const entriesRead = 50;
const runsShown = 7;

/** The latest actions of the team. */
export function RecentChanges() {
  const { t } = useTranslation("overview");
  const { t: audit } = useTranslation("audit-log");
  const { id, slug } = useOrganization();
  const { data, error } = useQuery(
    ask("listAuditLog", { params: { organization_id: id }, query: { limit: entriesRead } }),
  );
  const kindOf = ({ action, actor }: Item<"listAuditLog">) => `${action} ${actor.name}`;
  const runs = groupRepeats(data, kindOf).slice(0, runsShown);
  return (
    <Section
      title={t("changes.title")}
      actions={
        <GoLink to={paths.auditLog(slug)} size="sm">
          {t("changes.all")}
        </GoLink>
      }
    >
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Lines />}
      <ul className={classes.list}>
        {runs.map(({ newest: entry, count, isCut }) => (
          <li key={entry.id} className={classes.line}>
            <Stack gap={0} miw={0} flex={1}>
              <Text component="div">
                <GoLink to={paths.auditLog(slug, { entry: entry.id })} c="inherit">
                  {audit(`actions.${entry.action}`, {
                    defaultValue: entry.action.replaceAll(/[._]/g, " "),
                  })}
                </GoLink>{" "}
                <CountSuffix count={count} isCut={isCut} />
              </Text>
              <Text size="sm" c="dimmed" truncate>
                {[entry.actor.name, entry.subject.name].filter(Boolean).join(" · ")}
              </Text>
            </Stack>
            <Text size="sm" c="dimmed" component="div" className={classes.when ?? ""}>
              <Time at={entry.at} />
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Event = Item<"listEvents">;

/** Recent license events, caused by people or by validations. */
export function RecentEvents() {
  const { t } = useTranslation("overview");
  const { id } = useOrganization();
  const { data, error } = useQuery({
    ...ask("listEvents", { params: { organization_id: id }, query: { limit: entriesRead } }),
    refetchInterval: 30_000,
  });
  return (
    <Section title={t("events.title")}>
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Lines />}
      {data?.data.length === 0 && <Text c="dimmed">{t("events.none")}</Text>}
      <ul className={classes.list}>
        {groupRepeats(data, ({ type }) => type)
          .slice(0, runsShown)
          .map((run) => (
            <EventLine key={run.newest.id} run={run} />
          ))}
      </ul>
    </Section>
  );
}

function EventLine({ run: { newest: event, count, isCut } }: { run: Run<Event> }) {
  const { t } = useTranslation("webhooks");
  const { slug } = useOrganization();
  const license = licenseOf(event);
  const ip = typeof event.data.ip === "string" ? event.data.ip : null;
  return (
    <li className={classes.line}>
      <Stack gap={0} miw={0} flex={1}>
        <Text>
          {t(`types.${event.type}`)} <CountSuffix count={count} isCut={isCut} />
        </Text>
        <Text size="sm" c="dimmed" truncate component="div">
          {event.license_id !== null && license !== null && (
            <GoLink to={paths.license(slug, event.license_id)} className="mono" inherit>
              {license.key}
            </GoLink>
          )}
          {license?.whose !== undefined && ` · ${license.whose}`}
          {ip !== null && ` · ${ip}`}
        </Text>
      </Stack>
      <Text size="sm" c="dimmed" component="div" className={classes.when ?? ""}>
        <Time at={event.timestamp} />
      </Text>
    </li>
  );
}

/** The license as the event has it; null if it was deleted before the event was written. */
function licenseOf({ data }: Event): { key: string; whose?: string } | null {
  const license = data.license;
  if (typeof license !== "object" || license === null || Array.isArray(license)) return null;
  if (typeof license.license_key !== "string") return null;
  const whose = license.customer_name ?? license.customer_email;
  return { key: license.license_key, ...(typeof whose === "string" ? { whose } : {}) };
}

/** How often, if more than once; with a plus if there may be more. */
function CountSuffix({ count, isCut }: { count: number; isCut: boolean }) {
  const { i18n } = useTranslation();
  if (count < 2) return null;
  return (
    <Text component="span" size="sm" c="dimmed" className="figures">
      × {new Intl.NumberFormat(i18n.language).format(count)}
      {isCut && "+"}
    </Text>
  );
}
