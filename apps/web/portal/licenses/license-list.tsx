import { useTranslation } from "react-i18next";
import { accentStyle } from "../accent.ts";
import type { LicenseSummary } from "../api.ts";
import { pathOf } from "../pages.ts";
import { Link } from "../router.tsx";
import { Badge } from "../ui/badge.tsx";
import { SellerMark } from "../ui/seller-mark.tsx";
import { SupportLinks } from "../ui/support-links.tsx";
import { bySeller } from "./by-seller.ts";
import { useExpiryText } from "./expiry-text.ts";
import classes from "./license-list.module.css";
import { LicenseStatus } from "./license-status.tsx";

/** Grouped by seller, each with its logo, name and support. */
export function LicenseList({ licenses }: { readonly licenses: readonly LicenseSummary[] }) {
  return (
    <div className={classes.groups}>
      {bySeller(licenses).map(({ seller, licenses: ofSeller }) => (
        <section key={seller.organization_id} className={classes.group} style={accentStyle(seller)}>
          <div className={classes.seller}>
            <SellerMark seller={seller} />
            <h2>{seller.name}</h2>
            <SupportLinks seller={seller} />
          </div>
          <ul className={classes.list}>
            {ofSeller.map((license) => (
              <li key={license.id}>
                <Item license={license} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Item({ license }: { readonly license: LicenseSummary }) {
  const { t } = useTranslation("portal");
  const expiry = useExpiryText();
  return (
    <Link to={pathOf("license", { licenseId: license.id })} className={classes.item}>
      <span className={classes.title}>
        <span className={classes.product}>{license.product.name}</span>
        <LicenseStatus license={license} />
        {license.has_pending_transfer && <Badge tone="warning">{t("transfer.state.pending")}</Badge>}
      </span>
      <span className={classes.facts}>
        <span className="mono">{license.license_key_hint}…</span>
        <span>{expiry(license)}</span>
        {license.ip_system_enabled && license.max_ips !== null && (
          <span>{t("ips.used", { used: license.current_unique_ip_count, count: license.max_ips })}</span>
        )}
      </span>
    </Link>
  );
}
