import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { License, Me } from "../base/api.ts";
import { usePageBrand } from "../base/brand.tsx";
import { pathOf } from "../base/pages.ts";
import { licenseQuery } from "../base/queries.ts";
import { Link } from "../base/router.tsx";
import { LicenseStatus } from "../licenses/license-status.tsx";
import { NoLicense } from "../licenses/no-license.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/state.tsx";
import { DownloadsSection } from "./downloads-section.tsx";
import { FactsSection } from "./facts-section.tsx";
import { IpsSection } from "./ips-section.tsx";
import classes from "./license.module.css";
import { RefusalsSection } from "./refusals-section.tsx";
import { RemedyNotice } from "./remedy-notice.tsx";
import { SupportSection } from "./support-section.tsx";
import { TransferSection } from "./transfer-section.tsx";

export function LicensePage({ licenseId, me }: { readonly licenseId: string; readonly me: Me }) {
  const { t } = useTranslation("portal");
  const query = useQuery(licenseQuery(licenseId));
  const license = query.data;
  usePageBrand(license?.seller);
  return (
    <Page
      title={license?.product.name ?? t("license.title")}
      mark={license !== undefined && <LicenseStatus license={license} />}
      above={<Link to={pathOf("licenses")}>{t("license.back")}</Link>}
      below={
        license !== undefined && (
          <p className="dimmed">{t("license.soldBy", { seller: license.seller.name })}</p>
        )
      }
    >
      <Loaded
        query={query}
        missing={
          <NoLicense me={me} title={t("license.missing")}>
            <p>{t("license.missingText")}</p>
          </NoLicense>
        }
      >
        {(loaded) => <Sections license={loaded} />}
      </Loaded>
    </Page>
  );
}

function Sections({ license }: { readonly license: License }) {
  return (
    <>
      <RemedyNotice license={license} />
      <div className={classes.columns}>
        <div className={classes.column}>
          <FactsSection license={license} />
          <IpsSection license={license} />
          <RefusalsSection license={license} />
        </div>
        <div className={classes.column}>
          <DownloadsSection license={license} />
          <TransferSection license={license} />
          <SupportSection seller={license.seller} />
        </div>
      </div>
    </>
  );
}
