import { useTranslation } from "react-i18next";
import type { LicenseSummary } from "../base/api.ts";
import { expiryOf } from "../base/expiry.ts";
import { dayText } from "../ui/time.tsx";

/** When a license expires, with the date and the days that are left. */
export function useExpiryText(): (
  license: Pick<LicenseSummary, "expires_at" | "days_left" | "term_seconds">,
) => string {
  const { t, i18n } = useTranslation("portal");
  return ({ expires_at: at, days_left: daysLeft, term_seconds: term }) => {
    const date = at === null ? "" : dayText(at, i18n.language);
    const expiry = expiryOf(daysLeft);
    switch (expiry.kind) {
      case "never":
        return term === null
          ? t("expiry.never")
          : t("expiry.fromFirstUse", { count: Math.max(1, Math.round(term / 86_400)) });
      case "over":
        return t("expiry.over", { date });
      case "ahead":
        return expiry.daysLeft === 0
          ? t("expiry.today", { date })
          : t("expiry.ahead", { date, count: expiry.daysLeft });
    }
  };
}
