import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { accentStyle } from "../base/accent.ts";
import type { LicenseSummary, Seller } from "../base/api.ts";
import { pathOf } from "../base/pages.ts";
import { licensesOfQuery } from "../base/queries.ts";
import { Link } from "../base/router.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Trouble } from "../ui/notice.tsx";
import { SellerMark } from "../ui/seller-mark.tsx";
import { SupportLinks } from "../ui/support-links.tsx";
import { bySeller, type SellerGroup } from "./by-seller.ts";
import { useExpiryText } from "./expiry-text.ts";
import classes from "./license-list.module.css";
import { LicenseStatus } from "./license-status.tsx";

interface LicenseListProps {
  readonly licenses: readonly LicenseSummary[];
  /** Those of which only the newest licenses are in the list. */
  readonly sellersWithMore?: readonly Seller[];
}

/** Grouped by seller, each with its logo, name and support. */
export function LicenseList({ licenses, sellersWithMore = [] }: LicenseListProps) {
  const withMore = new Set(sellersWithMore.map((seller) => seller.organization_id));
  return (
    <div className={classes.groups}>
      {bySeller(licenses).map((group) => (
        <Group
          key={group.seller.organization_id}
          group={group}
          hasMore={withMore.has(group.seller.organization_id)}
        />
      ))}
    </div>
  );
}

function Group({ group, hasMore }: { readonly group: SellerGroup; readonly hasMore: boolean }) {
  const { t } = useTranslation("portal");
  const { seller } = group;
  const [showsAll, setShowsAll] = useState(false);
  const all = useInfiniteQuery({ ...licensesOfQuery(seller.organization_id), enabled: showsAll });
  const licenses = all.data?.pages.flatMap(({ data }) => data) ?? group.licenses;
  const canShowMore = showsAll ? all.hasNextPage : hasMore;
  return (
    <section className={classes.group} style={accentStyle(seller)}>
      <div className={classes.seller}>
        <SellerMark seller={seller} />
        <h2>{seller.name}</h2>
        <SupportLinks seller={seller} />
      </div>
      <ul className={classes.list}>
        {licenses.map((license) => (
          <li key={license.id}>
            <Item license={license} />
          </li>
        ))}
      </ul>
      <Trouble error={all.error} />
      {(canShowMore || all.isFetching) && (
        <div>
          <Button
            isBusy={all.isFetching}
            onClick={() => (showsAll ? void all.fetchNextPage() : setShowsAll(true))}
          >
            {t("licenses.moreOf", { seller: seller.name })}
          </Button>
        </div>
      )}
    </section>
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
        <span className="mono">{license.license_key_hint}</span>
        <span>{expiry(license)}</span>
        {license.ip_system_enabled && license.max_ips !== null && (
          <span>{t("ips.used", { used: license.current_unique_ip_count, count: license.max_ips })}</span>
        )}
      </span>
    </Link>
  );
}
