import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/links.tsx";
import { Time } from "../../ui/time.tsx";
import { Line, LinesSection } from "./lines-section.tsx";
import { groupRepeats, type Run } from "./overview.ts";

const entriesRead = 50;
const runsShown = 7;

/** The latest actions of the team. */
export function RecentChanges() {
  const { t } = useTranslation("overview");
  const { t: audit } = useTranslation("audit-log");
  const { id, slug } = useOrganization();
  const query = useQuery(
    ask("listAuditLog", { params: { organization_id: id }, query: { limit: entriesRead } }),
  );
  const kindOf = ({ action, actor }: Item<"listAuditLog">) => `${action} ${actor.name}`;
  return (
    <LinesSection
      title={t("changes.title")}
      all={{ to: paths.auditLog(slug), words: t("changes.all") }}
      query={query}
    >
      {groupRepeats(query.data, kindOf)
        .slice(0, runsShown)
        .map(({ newest: entry, count, isCut }) => (
          <Line
            key={entry.id}
            title={
              <Text component="div">
                <GoLink to={paths.auditLog(slug, { entry: entry.id })} c="inherit">
                  {audit(`actions.${entry.action}`, {
                    defaultValue: entry.action.replaceAll(/[._]/g, " "),
                  })}
                </GoLink>{" "}
                <CountSuffix count={count} isCut={isCut} />
              </Text>
            }
            words={[entry.actor.name, entry.subject.name].filter(Boolean).join(" · ")}
            when={<Time at={entry.at} />}
          />
        ))}
    </LinesSection>
  );
}

type Event = Item<"listEvents">;

/** Recent license events, caused by people or by validations. */
export function RecentEvents() {
  const { t } = useTranslation("overview");
  const { id } = useOrganization();
  const query = useQuery({
    ...ask("listEvents", { params: { organization_id: id }, query: { limit: entriesRead } }),
    refetchInterval: 30_000,
  });
  return (
    <LinesSection
      title={t("events.title")}
      query={query}
      none={query.data?.data.length === 0 && <Text c="dimmed">{t("events.none")}</Text>}
    >
      {groupRepeats(query.data, ({ type }) => type)
        .slice(0, runsShown)
        .map((run) => (
          <EventLine key={run.newest.id} run={run} />
        ))}
    </LinesSection>
  );
}

function EventLine({ run: { newest: event, count, isCut } }: { run: Run<Event> }) {
  const { t } = useTranslation("webhooks");
  const { slug } = useOrganization();
  const license = licenseOf(event);
  const ip = typeof event.data.ip === "string" ? event.data.ip : null;
  return (
    <Line
      title={
        <Text>
          {t(`types.${event.type}`)} <CountSuffix count={count} isCut={isCut} />
        </Text>
      }
      words={
        <>
          {event.license_id !== null && license !== null && (
            <GoLink to={paths.license(slug, event.license_id)} className="mono" inherit>
              {license.key}
            </GoLink>
          )}
          {license?.whose !== undefined && ` · ${license.whose}`}
          {ip !== null && ` · ${ip}`}
        </>
      }
      when={<Time at={event.timestamp} />}
    />
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
