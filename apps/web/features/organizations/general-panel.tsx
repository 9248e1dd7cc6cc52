import { Alert, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Answer, call } from "../../api/client.ts";
import { ask, reloadAfter } from "../../api/queries.ts";
import type { Language } from "../../i18n/languages.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { SaveForm } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { LanguageSelect, TimeZoneSelect } from "../../ui/select-field.tsx";

/** Name, slug, language and time zone, saved together. */
export function GeneralPanel() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState(organization.name);
  const [slug, setSlug] = useState(organization.slug);
  const [locale, setLocale] = useState<Language>(organization.locale);
  const [timeZone, setTimeZone] = useState(organization.time_zone);
  const save = useMutation({
    mutationFn: () =>
      call("updateOrganization", {
        params: { organization_id: organization.id },
        body: { name, slug, locale, time_zone: timeZone, updated_at: organization.updated_at },
      }),
    onSuccess: async (saved) => {
      notify(t("general.done"));
      // Cache it under both slugs for a moment, so that the current page works until the new one is shown.
      if (saved.slug !== organization.slug) {
        queries.setQueryData(
          ask("listOrganizations", { query: { limit: 200 } }).queryKey,
          (before: Answer<"listOrganizations"> | undefined) =>
            before && { ...before, data: [...before.data, saved] },
        );
        await navigate({ ...paths.settings(saved.slug), replace: true });
      }
      await reloadAfter("updateOrganization");
    },
  });
  return (
    <Panel title={t("general.title")}>
      <SaveForm
        onSubmit={save.mutate}
        isBusy={save.isPending}
        typed={[name, slug, locale, timeZone]}
        base={[organization.name, organization.slug, organization.locale, organization.time_zone]}
        error={save.error}
      >
        <TextInput
          label={t("general.name")}
          description={t("general.nameWords")}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(save.error, "name")}
        />
        <TextInput
          label={t("general.slug")}
          description={t("general.slugWords", { address: addressOf(slug) })}
          required
          maxLength={48}
          spellCheck={false}
          autoCapitalize="none"
          classNames={{ input: "mono" }}
          value={slug}
          onChange={(event) => setSlug(event.currentTarget.value)}
          error={fieldError(save.error, "slug")}
        />
        {slug !== organization.slug && (
          <Alert color="orange" icon={<Icon name="warning" />} title={t("general.linksChange")}>
            {t("general.linksWords", { before: addressOf(organization.slug) })}
          </Alert>
        )}
        <LanguageSelect
          label={t("general.locale")}
          description={t("general.localeWords")}
          value={locale}
          onChange={setLocale}
          error={fieldError(save.error, "locale")}
        />
        <TimeZoneSelect
          label={t("general.timeZone")}
          description={t("general.timeZoneWords")}
          nothingFound={t("general.noTimeZone")}
          value={timeZone}
          onChange={setTimeZone}
          error={fieldError(save.error, "time_zone")}
        />
        <ProblemAlert error={save.error} beside={["name", "slug", "locale", "time_zone"]} />
      </SaveForm>
    </Panel>
  );
}

/** As text, not as a link: while it is typed, no page has it. */
function addressOf(slug: string): string {
  return ["", "o", slug].join("/");
}
