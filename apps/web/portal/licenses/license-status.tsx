import { useTranslation } from "react-i18next";
import type { LicenseSummary } from "../api.ts";
import { Badge } from "../ui/badge.tsx";
import type { Tone } from "../ui/notice.tsx";

export type ShownStatus =
  | "active"
  | "revoked"
  | "expired"
  | "product_disabled"
  | "product_archived"
  | "seller_suspended";

/** What validate says first: the seller and the product come before the license. */
export function shownStatus(license: Pick<LicenseSummary, "seller" | "product" | "status">): ShownStatus {
  if (license.seller.is_suspended) return "seller_suspended";
  if (license.product.status === "archived") return "product_archived";
  if (license.product.status === "disabled") return "product_disabled";
  return license.status;
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
