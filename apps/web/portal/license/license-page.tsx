import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { License, Me, Seller } from "../base/api.ts";
import { usePageBrand } from "../base/brand.tsx";
import { pathOf } from "../base/pages.ts";
import { licenseQuery } from "../base/queries.ts";
import { Link } from "../base/router.tsx";
import { LicenseStatus } from "../licenses/license-list.tsx";
import { NoLicense } from "../licenses/licenses-page.tsx";
import { Copy } from "../ui/button.tsx";
import { Page, Section } from "../ui/page.tsx";
import { OutsideLink, SellerLinks } from "../ui/seller.tsx";
import { Loaded } from "../ui/state.tsx";
import { FactsSection } from "./facts-section.tsx";
import { IpsSection } from "./ips-section.tsx";
import classes from "./license.module.css";
import { RefusalsSection, RemedyNotice } from "./refusals.tsx";
import { TransferSection } from "./transfer.tsx";

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

function DownloadsSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  if (license.downloads.length === 0) return null;
  return (
    <Section title={t("downloads.title")}>
      <ul className={classes.list}>
        {license.downloads.map((download) => (
          <li key={download.id} className={classes.rowText}>
            <OutsideLink url={download.url}>{download.title}</OutsideLink>
            {download.min_version !== null && (
              <p className="small dimmed">{t("downloads.version", { version: download.min_version })}</p>
            )}
            {download.checksum !== null && (
              <div className={classes.checksum}>
                <p className="small dimmed">
                  {t("downloads.checksum")} <span className="mono">{download.checksum}</span>
                </p>
                <Copy
                  text={download.checksum}
                  label={t("downloads.copyChecksum", { title: download.title })}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function SupportSection({ seller }: { readonly seller: Seller }) {
  const { t } = useTranslation("portal");
  const { support_email: email, support_url: url, links } = seller;
  if (email === null && url === null && links.length === 0) return null;
  return (
    <Section title={t("support.title")}>
      <p>{t("support.text", { seller: seller.name })}</p>
      <SellerLinks seller={seller} className={classes.links} />
    </Section>
  );
}
