import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { languages } from "../../i18n/languages.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Facts } from "../../ui/facts.tsx";
import { Panel } from "../../ui/panel.tsx";
import type { Branding } from "./branding-draft.ts";

/** For members who cannot change it. */
export function BrandingFacts({ branding }: { readonly branding: Branding }) {
  const { t } = useTranslation("branding");
  const organization = useOrganization();
  const rows: readonly (readonly [string, ReactNode])[] = [
    [t("form.name"), branding.display_name ?? organization.name],
    [t("form.color"), branding.accent_color],
    [t("form.language"), languages[branding.locale ?? organization.locale]],
    [t("form.email"), branding.support_email],
    [t("form.url"), branding.support_url],
    [t("form.links"), branding.links.map(({ title }) => title).join(", ") || null],
  ];
  return (
    <Panel title={t("form.title")} lead={t("readOnly")}>
      <Facts>
        {rows.map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{name}</dt>
            <dd>{value ?? <Text c="dimmed">{t("none")}</Text>}</dd>
          </div>
        ))}
      </Facts>
    </Panel>
  );
}
