import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { askPages, flat } from "../../../api/queries.ts";
import { useMay, useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { GoLink } from "../../../ui/links.tsx";
import { ProblemAlert } from "../../../ui/problem-alert.tsx";
import { Section } from "../../../ui/section.tsx";
import { exactTime, Time } from "../../../ui/time.tsx";
import classes from "./history.module.css";
import type { Change } from "./history-entries.ts";
import { type HistoryEntry, historyOf } from "./history-entries.ts";
import type { License } from "./license.ts";
import { spanText } from "./license.ts";

/** The events of a license and who caused them, newest first. */
export function History({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const { id: organizationId } = useOrganization();
  const mayLog = may("audit_log:view");
  const events = useInfiniteQuery(
    askPages("listLicenseEvents", { params: { license_id: license.id }, query: { limit: 25 } }),
  );
  const log = useInfiniteQuery({
    ...askPages("listAuditLog", {
      params: { organization_id: organizationId },
      query: { subject_kind: "license", subject_id: license.id, limit: 25 },
    }),
    enabled: mayLog,
  });
  const isPending = events.isPending || (mayLog && log.isPending);
  const entries = historyOf(
    { items: flat(log.data), hasMore: log.hasNextPage },
    { items: flat(events.data), hasMore: events.hasNextPage },
  );
  const more = () => {
    if (log.hasNextPage) void log.fetchNextPage();
    if (events.hasNextPage) void events.fetchNextPage();
  };
  return (
    <Section title={t("history.title")} id="history">
      <ProblemAlert error={events.error ?? log.error} />
      {isPending ? (
        <Stack gap="sm" aria-hidden="true">
          {[0, 1, 2, 3].map((line) => (
            <Skeleton key={line} height={32} />
          ))}
        </Stack>
      ) : (
        <ol className={classes.list}>
          {entries.map((entry) => (
            <Line key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {(log.hasNextPage || events.hasNextPage) && (
        <Button
          variant="subtle"
          size="xs"
          loading={log.isFetchingNextPage || events.isFetchingNextPage}
          onClick={more}
        >
          {t("everywhere:more")}
        </Button>
      )}
      {!mayLog && (
        <Text c="dimmed" size="xs" mt="sm">
          {t("history.noAuditLogAccess")}
        </Text>
      )}
    </Section>
  );
}

const icons: Readonly<Record<string, IconName>> = {
  "license.created": "plus",
  "license.updated": "edit",
  "license.revoked": "block",
  "license.reinstated": "check",
  "license.renewed": "clock",
  "license.email_sent": "mail",
  "license.expiring_soon": "clock",
  "license.expired": "clock",
  "license.transfer_requested": "customer",
  "license.transferred": "customer",
  "license.transfer_rejected": "block",
  "license.transfer_cancelled": "close",
  "license.key_rotated": "refresh",
  "license.ip_registered": "ip",
  "license.ip_removed": "close",
  "license.ips_reset": "close",
  "license.ip_blocked": "block",
  "license.ip_limit_reached": "warning",
  "ip_block.added": "block",
  "ip_block.updated": "edit",
  "ip_block.removed": "check",
};

function Line({ entry }: { entry: HistoryEntry }) {
  const { t, i18n } = useTranslation("licenses");
  const { slug } = useOrganization();
  const { action, ip, count, reason, systemReason, recipient, actor, summary } = entry;
  const key = `history.${action}`;
  return (
    <li className={classes.line}>
      <span className={classes.icon}>
        <Icon name={icons[action] ?? "info"} size={14} />
      </span>
      <div className={classes.words}>
        <div className={classes.head}>
          <span>
            {i18n.exists(key, { ns: "licenses" }) || count !== null ? t(key, { count }) : action}{" "}
            {ip !== null && action.startsWith("license.ip") && (
              <GoLink to={paths.ip(slug, ip)} className="mono">
                {ip}
              </GoLink>
            )}
            {ip !== null && action.startsWith("ip_block") && <span className="mono">{ip}</span>}
          </span>
          <Text component="span" c="dimmed" size="sm" className={classes.when ?? ""}>
            {actor !== null && <>{actorWords(actor, t)} · </>}
            <Time at={entry.at} />
          </Text>
        </div>
        {summary !== null && (
          <Text size="sm">
            {t(summary.isExact ? "history.summary" : "history.summaryMore", {
              count: summary.count,
              ips: summary.ipCount,
            })}
          </Text>
        )}
        {recipient !== null && <Text size="sm">{t("history.recipient", { recipient })}</Text>}
        {reason !== null && <Text size="sm">{t("history.reason", { reason })}</Text>}
        {systemReason !== null && (
          <Text size="sm">{t(`history.systemReasons.${systemReason}`, { defaultValue: "" })}</Text>
        )}
        <Changes changes={entry.changes} />
      </div>
    </li>
  );
}

function actorWords(
  { kind, name, access_token_id: tokenId }: NonNullable<HistoryEntry["actor"]>,
  t: TFunction,
): string {
  if (kind === "person") return tokenId === null ? name : t("history.byToken", { name });
  return kind === "token" ? t("history.token", { name }) : t(`history.actors.${kind}`);
}

/** The changed fields with their values before and after. */
function Changes({ changes }: { changes: readonly Change[] }) {
  const { t, i18n } = useTranslation("licenses");
  if (changes.length === 0) return null;
  return (
    <ul className={classes.changes}>
      {changes.map(({ field, before, after }) => (
        <li key={field}>
          <span className={classes.field}>
            {i18n.exists(`licenses:fields.${field}`) ? t(`fields.${field}`) : field}
          </span>{" "}
          <del>{textOf(field, before)}</del> → <ins>{textOf(field, after)}</ins>
        </li>
      ))}
    </ul>
  );

  function textOf(field: string, value: unknown): string {
    if (value === null || value === undefined) return t("everywhere:none");
    if (typeof value === "boolean") return t(value ? "everywhere:yes" : "everywhere:no");
    if (field === "term_seconds" && typeof value === "number") return spanText(value, i18n.language);
    if (field.endsWith("_at") && typeof value === "string") return exactTime(value, i18n.language);
    if (Array.isArray(value)) return value.length === 0 ? t("everywhere:none") : value.join(", ");
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    return text.length > 160 ? `${text.slice(0, 160)}…` : text;
  }
}
