import {
  checkAccentColor,
  darkModeAccent,
  lightestDarkSurface,
} from "@countersign/domain/branding/accent-color";
import { SegmentedControl, Skeleton, useComputedColorScheme } from "@mantine/core";
import { type CSSProperties, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Language } from "../../i18n/languages.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Panel } from "../../ui/section.tsx";
import { type BrandingDraft, colorOf, filledLinks } from "./branding-draft.ts";
import classes from "./portal-preview.module.css";

interface PreviewPanelProps {
  readonly draft: BrandingDraft;
  readonly logoUrl: string | null;
}

/** What customers see, with what is typed now, in the portal's language and in either theme. */
export function PreviewPanel({ draft, logoUrl }: PreviewPanelProps) {
  const { t } = useTranslation("branding");
  const organization = useOrganization();
  const current = useComputedColorScheme("light");
  const [chosen, setChosen] = useState<"light" | "dark" | null>(null);
  const scheme = chosen ?? current;
  return (
    <div className={classes.preview}>
      <Panel
        title={t("preview.title")}
        lead={t("preview.lead")}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t("preview.theme")}
            data={[
              { value: "light", label: t("everywhere:schemes.light") },
              { value: "dark", label: t("everywhere:schemes.dark") },
            ]}
            value={scheme}
            onChange={(value) => setChosen(value as "light" | "dark")}
          />
        }
      >
        {/* The texts of another language are loaded first. */}
        <Suspense fallback={<Skeleton height={420} />}>
          <PortalPreview
            draft={draft}
            name={draft.display_name.trim() || organization.name}
            logoUrl={logoUrl}
            language={draft.locale || organization.locale}
            scheme={scheme}
          />
        </Suspense>
      </Panel>
    </div>
  );
}

interface PortalPreviewProps {
  readonly draft: BrandingDraft;
  readonly name: string;
  readonly logoUrl: string | null;
  readonly language: Language;
  readonly scheme: "light" | "dark";
}

/** The sign-in card and a license of the portal, as a picture: nothing in it can be used. */
function PortalPreview({ draft, name, logoUrl, language, scheme }: PortalPreviewProps) {
  const { t: dashboardText } = useTranslation("branding");
  const { t } = useTranslation("branding", { lng: language });
  const support = [
    draft.support_email.trim(),
    draft.support_url.trim() === "" ? "" : t("preview.support"),
    ...filledLinks(draft.links).map(({ title, url }) => title.trim() || url),
  ].filter((text) => text !== "");
  return (
    <div
      role="img"
      aria-label={dashboardText("preview.label", { name })}
      lang={language}
      className={classes.frame}
      data-scheme={scheme}
      style={previewAccent(draft.accent_color) as CSSProperties}
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

/** The portal's accent color on light pages for sellers who chose none. */
export const defaultAccent = "#16755c";

/** As the portal would use the color: one with too little contrast is shown as the darker one that is suggested. */
function previewAccent(typed: string): Record<`--${string}`, string> {
  const checked = checkAccentColor(colorOf(typed));
  const accent = checked.ok
    ? checked.color
    : checked.fault.code === "accent_contrast_too_low"
      ? checked.fault.suggestion
      : null;
  if (accent === null)
    return {
      "--accent": `light-dark(${defaultAccent}, #4fac91)`,
      "--on-accent": "light-dark(#ffffff, #06231b)",
    };
  const dark = darkModeAccent(accent, lightestDarkSurface);
  return {
    "--accent": `light-dark(${accent}, ${dark.color})`,
    "--on-accent": `light-dark(#ffffff, ${dark.textColor})`,
  };
}
