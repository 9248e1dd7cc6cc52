import { Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { CsvLink } from "../../ui/chart/chart-section.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Help } from "../../ui/help.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/section.tsx";
import classes from "./analytics.module.css";
import { changeText } from "./figure-text.ts";
import type { AnalyticsState } from "./use-analytics.ts";

const shown = 10;

/** The licenses that were refused most, with links to their requests. */
export function RefusedLicenses({ state }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { t: outcomeName } = useTranslation("requests");
  const { id, slug } = useOrganization();
  const seesRequests = useMaySee()("requests:view");
  const list = useQuery({
    ...ask("listMostRefused", { params: { organization_id: id }, query: { ...state.scope, limit: shown } }),
    placeholderData: keepPreviousData,
  });
  const number = new Intl.NumberFormat(i18n.language);
  const title = t("refused.title");
  return (
    <Section
      bare
      title={title}
      beside={<Help about={title}>{t("refused.help")}</Help>}
      actions={<CsvLink href={state.csv("refused")} title={title} />}
    >
      <List
        label={title}
        list={list}
        keyOf={(row) => row.license_id}
        columns={[
          { header: t("license"), cell: (row) => <ListedLicense license={row} /> },
          { header: t("refused.count"), count: (row) => row.refused },
          state.isCompared && {
            header: t("compare.before"),
            align: "right",
            wide: true,
            cell: ({ refused, previous_refused: before }) => (
              <span className="figures">
                {number.format(before)}{" "}
                <span className={classes.error}>{changeText(refused, before, i18n.language)}</span>
              </span>
            ),
          },
          {
            header: t("refused.outcomes"),
            wide: true,
            cell: (row) => (
              <div className={`${classes.outcomes} figures`}>
                {Object.entries(row.outcomes)
                  .sort(([, one], [, other]) => other - one)
                  .map(([outcome, count]) => (
                    <span key={outcome}>
                      {outcomeName(`outcomes.${outcome}`)} <b>{number.format(count)}</b>
                    </span>
                  ))}
              </div>
            ),
          },
          seesRequests && {
            header: t("requests.header"),
            whole: true,
            cell: (row) => (
              <GoLink
                to={paths.requests(slug, { license_id: row.license_id, refused: true })}
                className="oneLine"
              >
                {t("requests.show")}
              </GoLink>
            ),
          },
        ]}
        empty={t("refused.none")}
      />
    </Section>
  );
}

type Listed = Pick<
  Item<"listMostRefused">,
  "license_id" | "license_key" | "customer_name" | "customer_email" | "product_name"
>;

/** A license in a list: its key, its customer and its product. */
export function ListedLicense({ license }: { license: Listed }) {
  const { t } = useTranslation("analytics");
  const { slug } = useOrganization();
  const opens = useMaySee()("licenses:view");
  const { license_id: id, license_key: key } = license;
  return (
    <Stack gap={0}>
      {key === null ? (
        <Text inherit c="dimmed">
          {t("deleted")}
        </Text>
      ) : opens ? (
        <GoLink to={paths.license(slug, id)} className="mono">
          {key}
        </GoLink>
      ) : (
        <span className="mono">{key}</span>
      )}
      <Dimmed size="xs">
        {[license.customer_name ?? license.customer_email, license.product_name].filter(Boolean).join(" · ")}
      </Dimmed>
    </Stack>
  );
}
