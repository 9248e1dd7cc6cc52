import { useTranslation } from "react-i18next";
import type { License } from "../base/api.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { OutsideLink } from "../ui/outside-link.tsx";
import { focusOn } from "../ui/page.tsx";
import { SupportLinks } from "../ui/support-links.tsx";
import { ipsHeading } from "./ips-section.tsx";
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
