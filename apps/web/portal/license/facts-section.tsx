import { useTranslation } from "react-i18next";
import type { License } from "../base/api.ts";
import { expiryOf } from "../base/expiry.ts";
import { useExpiryText } from "../licenses/expiry-text.ts";
import { shownStatus } from "../licenses/shown-status.ts";
import { OutsideLink } from "../ui/outside-link.tsx";
import { Section } from "../ui/page.tsx";
import { Day } from "../ui/time.tsx";
import { KeyFact } from "./key-fact.tsx";
import classes from "./license.module.css";
import { useVersionText } from "./version-text.ts";

export function FactsSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  const expiryText = useExpiryText();
  const versionText = useVersionText();
  const expiry = expiryOf(license.days_left);
  const isSoon = expiry.kind === "ahead" && expiry.isSoon;
  return (
    <Section title={t("license.facts")}>
      <dl className={classes.facts}>
        <div>
          <dt>{t("license.status")}</dt>
          <dd>{t(`status.${shownStatus(license)}.text`)}</dd>
        </div>
        <div>
          <dt>{t("expiry.label")}</dt>
          <dd data-soon={isSoon || undefined}>{expiryText(license)}</dd>
          {license.renewal_url !== null && (
            <dd>
              <OutsideLink url={license.renewal_url}>{t("expiry.renew")}</OutsideLink>
            </dd>
          )}
        </div>
        <KeyFact license={license} />
        <div>
          <dt>{t("versions.label")}</dt>
          <dd>{versionText(license.versions)}</dd>
          {license.versions?.newest != null && (
            <dd className="small dimmed">{t("versions.newest", { version: license.versions.newest })}</dd>
          )}
        </div>
        <div>
          <dt>{t("license.since")}</dt>
          <dd>
            <Day at={license.created_at} />
          </dd>
        </div>
      </dl>
    </Section>
  );
}
