import { useTranslation } from "react-i18next";
import type { LicenseSummary } from "../base/api.ts";
import { Badge } from "../ui/badge.tsx";
import type { Tone } from "../ui/notice.tsx";
import { type ShownStatus, shownStatus } from "./shown-status.ts";

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
