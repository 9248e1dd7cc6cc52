import { relativeTime } from "@countersign/domain/dates/relative-time";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import type { LicenseSummary, Seller } from "../base/api.ts";
import { accentStyle } from "../base/brand.tsx";
import { pathOf } from "../base/pages.ts";
import { licensesOfQuery } from "../base/queries.ts";
import { Link } from "../base/router.tsx";
import { Button } from "../ui/button.tsx";
import { Badge, type Tone, Trouble } from "../ui/notice.tsx";
import { SellerMark, SupportLinks } from "../ui/seller.tsx";

import { dayText } from "../ui/time.tsx";
import {
  bySeller,
  type ExpiryFacts,
  expiryOf,
  type SellerGroup,
  type ShownStatus,
  shownStatus,
} from "./license.ts";
import classes from "./license-list.module.css";

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
  const expiry = useExpiryText()(license);
  return (
    <Link to={pathOf("license", { licenseId: license.id })} className={classes.item}>
      <span className={classes.title}>
        <span className={classes.product}>{license.product.name}</span>
        <LicenseStatus license={license} />
        {license.has_pending_transfer && <Badge tone="warning">{t("transfer.state.pending")}</Badge>}
      </span>
      <span className={classes.facts}>
        <span className="mono">{license.license_key_hint}</span>
        {expiry !== null && <span>{expiry}</span>}
        {license.ip_system_enabled && license.max_ips !== null && (
          <span>{t("ips.used", { used: license.current_unique_ip_count, count: license.max_ips })}</span>
        )}
      </span>
    </Link>
  );
}

const tones: Record<ShownStatus, Tone> = {
  active: "good",
  revoked: "danger",
  expired: "warning",
  product_disabled: "warning",
  product_archived: "warning",
  seller_suspended: "warning",
};

export function LicenseStatus({ license }: { readonly license: LicenseSummary }) {
  const { t } = useTranslation("portal");
  const status = shownStatus(license);
  return <Badge tone={tones[status]}>{t(`status.${status}.name`)}</Badge>;
}

/** When a license expires, with the date and how soon that is; null if it is refused for another reason. */
export function useExpiryText(): (license: ExpiryFacts) => string | null {
  const { t, i18n } = useTranslation("portal");
  const { language } = i18n;
  return (license) => {
    const timeZone = browserTimeZone();
    const date = license.expires_at === null ? "" : dayText(license.expires_at, language);
    const expiry = expiryOf(license, timeZone);
    switch (expiry?.kind) {
      case undefined:
        return null;
      case "never":
        return t("expiry.never");
      case "from_first_use": {
        const days = Math.max(1, Math.round(expiry.seconds / 86_400));
        return t("expiry.fromFirstUse", { count: days });
      }
      case "over":
        return t("expiry.over", { date });
      case "ahead":
        return t("expiry.ahead", {
          date,
          left: relativeTime(expiry.atMs, expiry.nowMs, language, timeZone),
        });
    }
  };
}
