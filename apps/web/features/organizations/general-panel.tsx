import { Alert } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type Answer, call } from "../../api/client.ts";
import { ask, reloadAfter } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { TextField } from "../../ui/fields.tsx";
import { SaveForm } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { LanguageSelect, TimeZoneSelect } from "../../ui/select-field.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";

/** Name, slug, language and time zone, saved together. */
export function GeneralPanel() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useForm({
    start: {
      name: organization.name,
      slug: organization.slug,
      locale: organization.locale,
      time_zone: organization.time_zone,
    },
    send: async (values) => {
      const saved = await call("updateOrganization", {
        params: { organization_id: organization.id },
        body: { ...values, updated_at: organization.updated_at },
      });
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
  const { slug } = form.values;
  return (
    <Panel title={t("general.title")}>
      <SaveForm {...form.props}>
        <TextField
          {...form.field("name")}
          label={t("general.name")}
          description={t("general.nameWords")}
          required
          maxLength={100}
        />
        <TextField
          {...form.field("slug")}
          label={t("general.slug")}
          description={t("general.slugWords", { address: addressOf(slug) })}
          required
          maxLength={48}
          spellCheck={false}
          autoCapitalize="none"
          classNames={{ input: "mono" }}
        />
        {slug !== organization.slug && (
          <Alert color="orange" icon={<Icon name="warning" />} title={t("general.linksChange")}>
            {t("general.linksWords", { before: addressOf(organization.slug) })}
          </Alert>
        )}
        <LanguageSelect
          {...form.field("locale")}
          label={t("general.locale")}
          description={t("general.localeWords")}
        />
        <TimeZoneSelect
          {...form.field("time_zone")}
          label={t("general.timeZone")}
          description={t("general.timeZoneWords")}
          nothingFound={t("general.noTimeZone")}
        />
        <FormProblem form={form} />
      </SaveForm>
    </Panel>
  );
}

/** As text, not as a link: while it is typed, no page has it. */
function addressOf(slug: string): string {
  return ["", "o", slug].join("/");
}
