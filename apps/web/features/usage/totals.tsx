import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { Meter } from "../../ui/meter.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { storageText } from "./storage.ts";
import classes from "./usage.module.css";

/** What the organization has, and how much of it its plan allows. */
export function Totals() {
  const { t, i18n } = useTranslation("usage");
  const { id, slug } = useOrganization();
  const seesBilling = useMay()("billing:view", "billing:manage");
  const { data, error } = useQuery(ask("getUsageTotals", { params: { organization_id: id } }));
  return (
    <Section
      title={t("totals.title")}
      actions={
        seesBilling && (
          <GoLink to={paths.billing(slug)} size="sm">
            {t("totals.plan")}
          </GoLink>
        )
      }
    >
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Skeleton height={60} />}
      {data !== undefined && (
        <div className={classes.totals}>
          {data.limits.map(({ name, used, limit }) => (
            <Meter key={name} name={t(`totals.${name}`)} used={used} limit={limit} />
          ))}
          <div>
            <div className={classes.storage}>
              <span>{t("totals.storage")}</span>
              <span className="figures">{storageText(data.storage_bytes, i18n.language)}</span>
            </div>
            <Text size="sm" c="dimmed">
              {t("totals.storageWords")}
            </Text>
          </div>
        </div>
      )}
    </Section>
  );
}
