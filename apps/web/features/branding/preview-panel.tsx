import { SegmentedControl, Skeleton, useComputedColorScheme } from "@mantine/core";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { Panel } from "../../ui/panel.tsx";
import classes from "./branding.module.css";
import type { BrandingDraft } from "./branding-draft.ts";
import { PortalPreview } from "./portal-preview.tsx";

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
            name={draft.displayName.trim() || organization.name}
            logoUrl={logoUrl}
            language={draft.locale || organization.locale}
            scheme={scheme}
          />
        </Suspense>
      </Panel>
    </div>
  );
}
