import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoButton } from "../../ui/go-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { Attention } from "./attention.tsx";
import { Expiring } from "./expiring.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { LicenseFigures } from "./license-figures.tsx";
import { NewLicenses } from "./new-licenses.tsx";
import classes from "./overview.module.css";
import { ProductsState } from "./products-state.tsx";
import { RecentChanges } from "./recent-changes.tsx";
import { RecentEvents } from "./recent-events.tsx";

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
