import { useTranslation } from "react-i18next";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import type { License } from "../base/api.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { focusOn, Section } from "../ui/page.tsx";
import { OutsideLink, SupportLinks } from "../ui/seller.tsx";
import { Ago, sinceOf } from "../ui/time.tsx";
import { Devices, ipsHeading } from "./ips-section.tsx";
import classes from "./license.module.css";
import { type Remedy, remedyOf } from "./remedy.ts";

/** On top of the page: why the license does not work, and what to do about it. */
export function RemedyNotice({ license }: { readonly license: License }) {
  const isFromApp = new URLSearchParams(window.location.search).has("from");
  const { t } = useTranslation("portal");
  const remedy = remedyOf(license, isFromApp, Date.now());
  if (remedy === null) return null;
  const { title, text, asksSeller } = wordsFor(remedy);
  const values = {
    count: license.max_ips ?? 0,
    ip: "ip" in remedy ? remedy.ip : "",
    version: remedy.kind === "version" ? (remedy.version ?? "?") : "",
    seller: license.seller.name,
  };
  return (
    <Notice
      tone={remedy.kind === "revoked" ? "danger" : "warning"}
      title={t(`remedy.${title}.title`, values)}
    >
      <p>{t(`remedy.${text}`, values)}</p>
      {remedy.kind === "expired" && license.renewal_url !== null && (
        <p>
          <OutsideLink url={license.renewal_url}>{t("expiry.renew")}</OutsideLink>
        </p>
      )}
      {remedy.kind === "ips_full" && remedy.canRemove && (
        <div>
          <Button isSmall onClick={() => focusOn(ipsHeading)}>
            {t("remedy.toIps")}
          </Button>
        </div>
      )}
      {asksSeller && <SupportLinks seller={license.seller} />}
    </Notice>
  );
}

function wordsFor(remedy: Remedy): { title: string; text: string; asksSeller: boolean } {
  const { kind } = remedy;
  switch (kind) {
    case "expired":
      return remedy.canRenew
        ? { title: kind, text: "expired.renew", asksSeller: false }
        : { title: kind, text: "expired.ask", asksSeller: true };
    case "ips_full":
      return remedy.canRemove
        ? { title: kind, text: "ips_full.remove", asksSeller: false }
        : { title: kind, text: "ips_full.ask", asksSeller: true };
    case "version":
      return { title: kind, text: "version.text", asksSeller: false };
    default:
      return { title: kind, text: `${kind}.text`, asksSeller: true };
  }
}

/** What apps were refused with in the last two weeks, in words, and what helps. */
export function RefusalsSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  return (
    <Section title={t("refusals.title")}>
      {license.refusals.length === 0 ? (
        <p className="dimmed">{t("refusals.none")}</p>
      ) : (
        <ul className={classes.list}>
          {license.refusals.map((refusal) => (
            <li key={refusal.status} className={classes.rowText}>
              <Refusal refusal={refusal} license={license} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface RefusalProps {
  readonly refusal: License["refusals"][number];
  readonly license: License;
}

function Refusal({ refusal, license }: RefusalProps) {
  const { t, i18n } = useTranslation("portal");
  const values = {
    ip: refusal.last_ip,
    version: refusal.last_version ?? "?",
    seller: license.seller.name,
    most: license.max_ips ?? 0,
  };
  const isLimit = refusal.status === "ip_limit_reached";
  // The limit may have been lifted since.
  const reason = isLimit && license.max_ips === null ? "ip_not_registered" : refusal.status;
  const canRemoveNone = isLimit && license.self_service.ip_removals.limit === 0;
  const since = sinceOf(refusal.first_at, Date.now(), i18n.language, browserTimeZone());
  return (
    <>
      <p>
        {t("refusals.sentence", {
          count: refusal.count,
          since: t(`refusals.${refusal.count === 1 ? "on" : "since"}.${since.kind}`, {
            day: "day" in since ? since.day : "",
          }),
          reason: t(`refusals.reason.${reason}`, values),
        })}
      </p>
      <p>{t(`refusals.remedy.${canRemoveNone ? "ask_to_remove" : refusal.status}`, values)}</p>
      <p className="small dimmed">
        {t("refusals.last")} <Ago at={refusal.last_at} />
        {" · "}
        <span className="mono">{refusal.last_ip}</span>
        {refusal.last_version !== null && ` · ${t("refusals.version", { version: refusal.last_version })}`}
      </p>
      <Devices ids={refusal.device_ids} />
    </>
  );
}
