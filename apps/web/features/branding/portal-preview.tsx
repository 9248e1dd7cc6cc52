import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import type { Language } from "../../i18n/languages.ts";
import { type BrandingDraft, filledLinks } from "./branding-draft.ts";
import classes from "./portal-preview.module.css";
import { previewAccent } from "./preview-colors.ts";

interface PortalPreviewProps {
  readonly draft: BrandingDraft;
  readonly name: string;
  readonly logoUrl: string | null;
  readonly language: Language;
  readonly scheme: "light" | "dark";
}

/** The sign-in card and a license of the portal, as a picture: nothing in it can be used. */
export function PortalPreview({ draft, name, logoUrl, language, scheme }: PortalPreviewProps) {
  const { t: own } = useTranslation("branding");
  const { t } = useTranslation("branding", { lng: language });
  const support = [
    draft.supportEmail.trim(),
    draft.supportUrl.trim() === "" ? "" : t("preview.support"),
    ...filledLinks(draft.links).map(({ title, url }) => title.trim() || url),
  ].filter((text) => text !== "");
  return (
    <div
      role="img"
      aria-label={own("preview.label", { name })}
      lang={language}
      className={classes.frame}
      data-scheme={scheme}
      style={previewAccent(draft.accentColor) as CSSProperties}
    >
      <div className={classes.bar}>
        <Mark name={name} logoUrl={logoUrl} />
        <span className={classes.name}>{name}</span>
      </div>
      <div className={classes.body}>
        <div className={classes.card}>
          <span className={classes.title}>{t("preview.signIn")}</span>
          <span className={classes.label}>{t("preview.email")}</span>
          <span className={classes.input}>ada@example.com</span>
          <span className={classes.button}>{t("preview.send")}</span>
        </div>
        <div className={classes.card}>
          <span className={classes.row}>
            <span className={classes.product}>{t("preview.product")}</span>
            <span className={classes.badge}>{t("preview.active")}</span>
          </span>
          <span className={classes.facts}>
            <span className="mono">K7QX-2M…</span>
            <span>{t("preview.expiry")}</span>
          </span>
        </div>
      </div>
      {support.length > 0 && (
        <div className={classes.foot}>
          {support.map((text, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two links can have the same title.
            <span key={at} className={classes.outside}>
              {text}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** The logo, or the first letter of the name. */
function Mark({ name, logoUrl }: { readonly name: string; readonly logoUrl: string | null }) {
  if (logoUrl === null) return <span className={classes.letter}>{[...name][0]?.toUpperCase()}</span>;
  return (
    <span className={classes.logo}>
      <img src={logoUrl} alt="" />
    </span>
  );
}
