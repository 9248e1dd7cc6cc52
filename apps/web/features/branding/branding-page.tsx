import { Button, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Waiting } from "../../ui/waiting.tsx";
import { SettingsTabs } from "../organizations/settings-tabs.tsx";
import classes from "./branding.module.css";
import { type Branding, draftOf, rebased } from "./branding-draft.ts";
import { BrandingFacts } from "./branding-facts.tsx";
import { BrandingForm } from "./branding-form.tsx";
import { LogoPanel } from "./logo-panel.tsx";
import { PortalPanel } from "./portal-panel.tsx";
import { PreviewPanel } from "./preview-panel.tsx";

/** How the organization presents itself in the customer portal. */
export function BrandingPage() {
  const { t } = useTranslation("branding");
  const { t: settings } = useTranslation("organizations");
  const organization = useOrganization();
  const branding = useQuery(ask("getBranding", { params: { organization_id: organization.id } }));
  if (branding.data === undefined && branding.error === null) return <Waiting />;
  return (
    <Page title={settings("title")} part={t("title")} lead={t("lead")}>
      <SettingsTabs />
      {branding.data === undefined ? (
        <Stack align="flex-start">
          <ProblemAlert error={branding.error} />
          <Button onClick={() => void branding.refetch()} loading={branding.isFetching}>
            {t("everywhere:tryAgain")}
          </Button>
        </Stack>
      ) : (
        <Editor key={organization.id} stored={branding.data} />
      )}
    </Page>
  );
}

function Editor({ stored }: { readonly stored: Branding }) {
  const organization = useOrganization();
  const queries = useQueryClient();
  const canChange = useMay()("organization:manage");
  // The branding when the page was opened or saved: what others save meanwhile is not overwritten.
  const [basis, setBasis] = useState(stored);
  const [draft, setDraft] = useState(() => draftOf(stored));
  const adopt = (saved: Branding) => {
    setDraft((typed) => rebased(typed, draftOf(basis), draftOf(saved)));
    setBasis(saved);
    const { queryKey } = ask("getBranding", { params: { organization_id: organization.id } });
    queries.setQueryData(queryKey, saved);
  };
  if (!canChange)
    return (
      <div className={classes.columns}>
        <div>
          <PortalPanel url={stored.portal_url} />
          <BrandingFacts branding={stored} />
        </div>
        <PreviewPanel draft={draftOf(stored)} logoUrl={stored.logo_url} />
      </div>
    );
  return (
    <div className={classes.columns}>
      <div>
        <PortalPanel url={basis.portal_url} />
        <LogoPanel logoUrl={basis.logo_url} onSaved={adopt} />
        <BrandingForm
          draft={draft}
          basis={basis}
          onChange={(changes) => setDraft((typed) => ({ ...typed, ...changes }))}
          onSaved={(saved) => {
            adopt(saved);
            setDraft(draftOf(saved));
          }}
          onReloaded={adopt}
        />
      </div>
      <PreviewPanel draft={draft} logoUrl={basis.logo_url} />
    </div>
  );
}
