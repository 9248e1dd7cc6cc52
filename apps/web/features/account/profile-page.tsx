import { Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMe } from "../../app/here.ts";
import { type Language, languages } from "../../i18n/languages.ts";
import { changeLanguage } from "../../i18n/start.ts";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { tell, tellProblem } from "../../ui/tell.tsx";
import { EmailPanel } from "./email-panel.tsx";

export function ProfilePage() {
  const { t } = useTranslation("account");
  return (
    <Page narrow title={t("profile.title")} lead={t("profile.lead")}>
      <NamePanel />
      <EmailPanel />
      <LanguagePanel />
    </Page>
  );
}

function NamePanel() {
  const { t } = useTranslation("account");
  const me = useMe();
  const save = useChange("updateMe", ["getMe", "listMembers"]);
  const [name, setName] = useState(me.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ body: { name } }, { onSuccess: () => tell(t("saved")) });
  };
  return (
    <Panel title={t("name.title")}>
      <form onSubmit={submit}>
        <Stack>
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
          <Group>
            <Button type="submit" loading={save.isPending} disabled={name === me.name}>
              {t("everywhere:save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

const choices = Object.entries(languages).map(([value, label]) => ({ value, label }));

/** Both hold at once. */
function LanguagePanel() {
  const { t, i18n } = useTranslation("account");
  const me = useMe();
  const save = useChange("updateMe", ["getMe"]);
  const setLetters = (locale: Language) =>
    save.mutate({ body: { locale } }, { onSuccess: () => tell(t("saved")), onError: tellProblem });
  return (
    <Panel title={t("language.title")}>
      <Stack>
        <Select
          label={t("language.page")}
          description={t("language.pageWords")}
          data={choices}
          value={i18n.language}
          onChange={(value) => value !== null && void changeLanguage(value as Language)}
          allowDeselect={false}
        />
        <Select
          label={t("language.letters")}
          description={t("language.lettersWords")}
          data={choices}
          value={save.isPending ? (save.variables?.body?.locale ?? me.locale) : me.locale}
          onChange={(value) => value !== null && setLetters(value as Language)}
          allowDeselect={false}
        />
      </Stack>
    </Panel>
  );
}
