import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "../base/api.ts";
import { signedOut } from "../base/queries.ts";
import { navigate } from "../base/router.tsx";
import { chooseTheme, useTheme } from "../base/theme.ts";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Choice } from "../ui/field.tsx";
import { LanguageChoice } from "../ui/language-choice.tsx";
import { Trouble } from "../ui/notice.tsx";
import { Page, Section } from "../ui/page.tsx";
import classes from "./account.module.css";
import { IdentitiesSection } from "./identities-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";

export function AccountPage({ me }: { readonly me: Me }) {
  const { t } = useTranslation("portal");
  return (
    <Page title={t("account.title")}>
      <div className={classes.columns}>
        <div className={classes.column}>
          <IdentitiesSection me={me} />
          <SessionsSection />
        </div>
        <div className={classes.column}>
          <DisplaySection />
          <DeleteSection />
        </div>
      </div>
    </Page>
  );
}

function DisplaySection() {
  const { t } = useTranslation("portal");
  const theme = useTheme();
  // Emails are in this language too.
  const save = useMutation({
    mutationFn: (locale: Me["locale"]) => call("updatePortalMe", { body: { locale } }),
  });
  return (
    <Section title={t("account.display")}>
      <LanguageChoice onChosen={(language) => save.mutate(language)} />
      <Trouble error={save.error} />
      <Choice
        label={t("account.theme")}
        value={theme}
        options={{
          system: t("account.themes.system"),
          light: t("account.themes.light"),
          dark: t("account.themes.dark"),
        }}
        onChoose={chooseTheme}
      />
    </Section>
  );
}

function DeleteSection() {
  const { t } = useTranslation("portal");
  const [isAsking, setAsking] = useState(false);
  return (
    <Section title={t("account.delete")}>
      <p>{t("account.deleteIntro")}</p>
      <div>
        <Button onClick={() => setAsking(true)}>{t("account.delete")}</Button>
      </div>
      {isAsking && (
        <Confirm
          title={t("account.deleteTitle")}
          label={t("account.deleteConfirm")}
          run={() => call("deletePortalMe")}
          onDone={() => {
            announce(t("account.deleted"));
            signedOut();
            navigate("/");
          }}
          onClose={() => setAsking(false)}
        >
          <ul className={classes.bullets}>
            <li>{t("account.deleteSessions")}</li>
            <li>{t("account.deleteTransfers")}</li>
            <li>{t("account.deleteLinks")}</li>
            <li>{t("account.deleteLicenses")}</li>
          </ul>
          <p>{t("cannotBeUndone")}</p>
        </Confirm>
      )}
    </Section>
  );
}
