import { Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import type { Language } from "../../i18n/languages.ts";
import { changeLanguage } from "../../i18n/start.ts";
import { useMe } from "../../session/current-organization.ts";
import { SaveForm } from "../../ui/form.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { LanguageSelect } from "../../ui/select-field.tsx";
import { EmailPanel } from "./email-panel.tsx";
import { OrganizationsPanel } from "./organizations-panel.tsx";

export function ProfilePage() {
  const { t } = useTranslation("account");
  return (
    <Page narrow title={t("profile.title")} lead={t("profile.lead")}>
      <NamePanel />
      <EmailPanel />
      <LanguagePanel />
      <OrganizationsPanel />
    </Page>
  );
}

function NamePanel() {
  const { t } = useTranslation("account");
  const me = useMe();
  const save = useChange("updateMe");
  const [name, setName] = useState(me.name);
  const submit = () => save.mutate({ body: { name } }, { onSuccess: () => notify(t("saved")) });
  return (
    <Panel title={t("name.title")}>
      <SaveForm onSubmit={submit} isBusy={save.isPending} typed={name} base={me.name} error={save.error}>
        <TextInput
          label={t("name.label")}
          description={t("name.words")}
          required
          maxLength={100}
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(save.error, "name")}
        />
        <ProblemAlert error={save.error} beside={["name"]} />
      </SaveForm>
    </Panel>
  );
}

/** Both take effect immediately. */
function LanguagePanel() {
  const { t, i18n } = useTranslation("account");
  const me = useMe();
  const save = useChange("updateMe");
  const setEmailLimit = (locale: Language) =>
    save.mutate({ body: { locale } }, { onSuccess: () => notify(t("saved")), onError: notifyProblem });
  return (
    <Panel title={t("language.title")}>
      <Stack>
        <LanguageSelect
          label={t("language.page")}
          description={t("language.pageWords")}
          value={i18n.language}
          onChange={(language) => void changeLanguage(language)}
        />
        <LanguageSelect
          label={t("language.emails")}
          description={t("language.emailsWords")}
          value={save.isPending ? (save.variables?.body?.locale ?? me.locale) : me.locale}
          onChange={setEmailLimit}
        />
      </Stack>
    </Panel>
  );
}
