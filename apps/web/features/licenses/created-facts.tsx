import { useTranslation } from "react-i18next";
import { LicenseEmail } from "../../app/license-email.tsx";
import { Facts } from "../../ui/facts.tsx";
import { exactTime } from "../../ui/time.tsx";
import type { License } from "./license.ts";

/** The new license: its customer, product, expiry and email. */
export function CreatedFacts({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { customer_name: name, customer_email: email, customer_discord_id: discordId } = license;
  return (
    <Facts>
      <dt>{t("columns.customer")}</dt>
      <dd>{[name, email, discordId].filter((words) => words !== null).join(" · ")}</dd>
      <dt>{t("columns.product")}</dt>
      <dd>{license.product_name}</dd>
      <dt>{t("columns.expires")}</dt>
      <dd>
        <Expiry license={license} />
      </dd>
      <dt>{t("created.email")}</dt>
      <dd>
        <LicenseEmail license={license} />
      </dd>
    </Facts>
  );
}

const secondsADay = 86_400;

function Expiry({ license: { expires_at: at, term_seconds: term } }: { license: License }) {
  const { t, i18n } = useTranslation("licenses");
  if (at !== null) return exactTime(at, i18n.language);
  if (term === null) return t("lifetime");
  const days = (term / secondsADay).toLocaleString(i18n.language, { maximumFractionDigits: 1 });
  return t("created.fromFirstUse", { days });
}
