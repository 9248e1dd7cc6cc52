import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { ExpiringChart } from "./expiring-chart.tsx";
import classes from "./overview.module.css";

const days = 30;
const shown = 6;

/** The next licenses to expire, soonest first. */
export function Expiring() {
  const { t, i18n } = useTranslation("overview");
  const { id, slug } = useOrganization();
  const filter = { status: "active", expires_within_days: days, sort: "expires_at", order: "asc" } as const;
  const { data, error } = useQuery(
    ask("listLicenses", {
      params: { organization_id: id },
      query: { ...filter, limit: shown, count: "true" },
    }),
  );
  const total = data?.total ?? 0;
  const counted = new Intl.NumberFormat(i18n.language).format(total);
  return (
    <Section
      title={t("expiring.title")}
      note={total === 0 ? undefined : t("expiring.note", { days, total: counted })}
      actions={
        total > 0 && (
          <GoLink to={paths.licenses(slug, filter)} size="sm">
            {t("expiring.all")}
          </GoLink>
        )
      }
    >
      <ProblemAlert error={error} />
      <ExpiringChart />
      {data === undefined && error === null && <Lines />}
      {data?.data.length === 0 && <Text c="dimmed">{t("expiring.none", { days })}</Text>}
      <ul className={classes.list}>
        {data?.data.map((license) => (
          <li key={license.id} className={classes.line}>
            <Stack gap={0} miw={0} flex={1}>
              <GoLink to={paths.license(slug, license.id)} className="mono" truncate>
                {license.license_key}
              </GoLink>
              <Text size="sm" c="dimmed" truncate>
                {[license.customer_name ?? license.customer_email, license.product_name]
                  .filter(Boolean)
                  .join(" · ")}
              </Text>
            </Stack>
            <Text size="sm" component="div" className={classes.when ?? ""}>
              {license.expires_at !== null && <ListTime at={license.expires_at} />}
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Shown while a list is loading. */
export function Lines() {
  return (
    <Stack gap="sm" aria-hidden="true">
      {[0, 1, 2, 3].map((line) => (
        <Skeleton key={line} height={32} />
      ))}
    </Stack>
  );
}
