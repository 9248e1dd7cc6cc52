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
import { CountSuffix } from "./count-suffix.tsx";
import { Lines } from "./expiring.tsx";
import { groupRepeats } from "./group-repeats.ts";
import classes from "./overview.module.css";

const read = 50;
const shown = 7;

/** The latest actions of the team. */
export function RecentChanges() {
  const { t } = useTranslation("overview");
  const { t: audit } = useTranslation("audit-log");
  const { id, slug } = useOrganization();
  const { data, error } = useQuery(
    ask("listAuditLog", { params: { organization_id: id }, query: { limit: read } }),
  );
  const kindOf = ({ action, actor }: Item<"listAuditLog">) => `${action} ${actor.name}`;
  const runs = groupRepeats(data, kindOf).slice(0, shown);
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
