import { expiringDays } from "@countersign/domain/licenses/expiring";
import { Skeleton, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { GoButton, GoLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Attention } from "./attention.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { Expiring, NewLicenses } from "./license-trend.tsx";
import classes from "./overview.module.css";
import { ProductsState } from "./products-state.tsx";
import { RecentChanges, RecentEvents } from "./recent.tsx";
import { Validations } from "./validations.tsx";

/** The overview. Each part is shown only with permission to see its content. */
export function OverviewPage() {
  const { t } = useTranslation();
  const organization = useOrganization();
  const may = useMay();
  const seesLicenses = may("licenses:view");
  const seesProducts = may("products:view", "products:manage", "products:rotate_key");
  return (
    <Page
      title={t("places.overview")}
      lead={organization.name}
      actions={
        may("licenses:create") ? (
          <GoButton to={paths.newLicense(organization.slug)} leftSection={<Icon name="plus" size={16} />}>
            {t("palette.newLicense")}
          </GoButton>
        ) : undefined
      }
    >
      <FirstSteps />
      <Attention />
      {may("analytics:view") && <Validations />}
      {seesLicenses && <LicenseFigures />}
      <div className={classes.columns}>
        <div className={classes.column}>
          {seesLicenses && <NewLicenses />}
          {seesProducts && <ProductsState />}
          {seesLicenses && (
            <div className={classes.later}>
              <RecentEvents />
            </div>
          )}
        </div>
        <div className={classes.column}>
          {seesLicenses && <Expiring />}
          {may("audit_log:view") && (
            <div className={classes.later}>
              <RecentChanges />
            </div>
          )}
        </div>
      </div>
      {!seesLicenses && !seesProducts && !may("audit_log:view") && <Nothing />}
    </Page>
  );
}

function Nothing() {
  const { t } = useTranslation("overview");
  return <p>{t("nothing")}</p>;
}

const statuses = ["active", "expired", "revoked"] as const;

/** The tiles, with the filter of the list that each leads to. Licenses that expire soon are active ones. */
const tiles = {
  active: { status: "active" },
  expiring: { status: "active", expires_within_days: expiringDays },
  // Sorted by expiry, the server finds the one returned license quickly: the oldest expiry has expired.
  expired: { status: "expired", sort: "expires_at", order: "asc" },
  revoked: { status: "revoked" },
} as const;
const tileNames = ["active", "expiring", "expired", "revoked"] as const;

/** The number of licenses per status and of those that expire soon, and the share of each status. */
function LicenseFigures() {
  const { t, i18n } = useTranslation("overview");
  const { id, slug } = useOrganization();
  const answers = useQueries({
    queries: tileNames.map((name) => ({
      ...ask("listLicenses", {
        params: { organization_id: id },
        query: { ...tiles[name], limit: 1, count: "true" },
      }),
      staleTime: 60_000,
    })),
  });
  const broken = answers.find(({ error }) => error !== null);
  if (broken !== undefined) return <ProblemAlert error={broken.error} />;
  const totalOf = (name: (typeof tileNames)[number]) => answers[tileNames.indexOf(name)]?.data?.total;
  const sum = statuses.reduce((all, status) => all + (totalOf(status) ?? 0), 0);
  const isWhole = answers.every(({ data }) => data !== undefined);
  let left = 0;
  return (
    <section className={classes.figures} aria-label={t("figures.title")}>
      <div className={classes.tiles}>
        {tileNames.map((name) => {
          const total = totalOf(name);
          return (
            <GoLink
              key={name}
              to={paths.licenses(slug, tiles[name])}
              underline="never"
              c="inherit"
              className={classes.tile ?? ""}
            >
              <Text size="sm" c="dimmed" component="span" display="block" className={classes[name] ?? ""}>
                {t(`figures.${name}`, { days: expiringDays })}
              </Text>
              {total === undefined ? (
                <Skeleton height={26} width={60} my={3} />
              ) : (
                <span className={`${classes.figure} figures`}>
                  {new Intl.NumberFormat(i18n.language).format(total)}
                </span>
              )}
            </GoLink>
          );
        })}
      </div>
      {isWhole && sum > 0 && (
        <svg className={classes.share} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          {statuses.map((status) => {
            const width = ((totalOf(status) ?? 0) / sum) * 100;
            left += width;
            return <rect key={status} x={left - width} width={width} height={1} data-status={status} />;
          })}
        </svg>
      )}
    </section>
  );
}
