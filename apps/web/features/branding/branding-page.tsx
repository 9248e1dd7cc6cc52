import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { languages } from "../../i18n/languages.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Copyable } from "../../ui/copy.tsx";
import { DocsLink } from "../../ui/help.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page, Waiting } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Fact, Facts, Panel } from "../../ui/section.tsx";
import { useForm } from "../../ui/use-form.tsx";
import classes from "./branding.module.css";
import { type Branding, changesOf, draftOf } from "./branding-draft.ts";
import { BrandingForm } from "./branding-form.tsx";
import { LogoPanel } from "./logo-panel.tsx";
import { PreviewPanel } from "./portal-preview.tsx";

/** How the organization presents itself in the customer portal. */
export function BrandingPage() {
  const { t } = useTranslation("branding");
  const organization = useOrganization();
  const branding = useQuery(ask("getBranding", { params: { organization_id: organization.id } }));
  if (branding.data === undefined && branding.error === null) return <Waiting />;
  return (
    <Page title={t("title")} lead={t("lead")}>
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
  const { t } = useTranslation("branding");
  const params = { organization_id: useOrganization().id };
  const queries = useQueryClient();
  const canChange = useMay()("organization:manage");
  // The branding when the page was opened or saved: what others save meanwhile is not overwritten.
  const [basis, setBasis] = useState(stored);
  const keep = (saved: Branding) => {
    setBasis(saved);
    queries.setQueryData(ask("getBranding", { params }).queryKey, saved);
    return draftOf(saved);
  };
  const form = useForm({
    start: draftOf(stored),
    send: async (draft) => {
      const changes = changesOf(draft, draftOf(basis));
      const body = { ...changes, updated_at: basis.updated_at };
      const saved = await call("updateBranding", { params, body });
      notify(t("saved"));
      form.restart(keep(saved));
    },
    reload: async () => keep(await call("getBranding", { params })),
  });
  const shown = canChange ? basis : stored;
  return (
    <div className={classes.columns}>
      <div>
        <PortalPanel url={shown.portal_url} />
        {canChange ? (
          <>
            <LogoPanel logoUrl={basis.logo_url} onSaved={(saved) => form.rebase(keep(saved))} />
            <BrandingForm form={form} />
          </>
        ) : (
          <BrandingFacts branding={stored} />
        )}
      </div>
      <PreviewPanel draft={canChange ? form.values : draftOf(stored)} logoUrl={shown.logo_url} />
    </div>
  );
}

/** For members who cannot change it. */
function BrandingFacts({ branding }: { readonly branding: Branding }) {
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
          <Fact key={name} name={name}>
            {value ?? <Text c="dimmed">{t("none")}</Text>}
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}

/** Where customers sign in. */
function PortalPanel({ url }: { readonly url: string }) {
  const { t } = useTranslation("branding");
  return (
    <Panel
      title={t("portal.title")}
      lead={
        <>
          {t("portal.lead")} <DocsLink section="branding">{t("everywhere:docs.learnMore")}</DocsLink>
        </>
      }
    >
      <Group gap="md" justify="space-between">
        <Copyable value={url} />
        <Anchor href={url} target="_blank" rel="noopener" title={t("everywhere:docs.newTab")}>
          {t("portal.open")}
        </Anchor>
      </Group>
    </Panel>
  );
}
