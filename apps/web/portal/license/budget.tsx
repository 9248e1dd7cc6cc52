import { useTranslation } from "react-i18next";
import type { License } from "../base/api.ts";
import { dayText } from "../ui/time.tsx";

/** How many IP addresses the customer can still remove, and when more can be removed. */
export function Budget({ license }: { readonly license: License }) {
  const { t, i18n } = useTranslation("portal");
  const { limit, left, next_at: nextAt } = license.self_service.ip_removals;
  if (limit === 0)
    return <p className="small dimmed">{t("ips.notOffered", { seller: license.seller.name })}</p>;
  return (
    <p className="small dimmed">
      {t("ips.budget", { count: left, limit })}
      {nextAt !== null && ` ${t("ips.budgetNext", { date: dayText(nextAt, i18n.language) })}`}
    </p>
  );
}
