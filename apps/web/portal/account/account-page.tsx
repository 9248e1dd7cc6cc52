import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "../base/api.ts";
import { queryClient, sessionsQuery, signedOut } from "../base/queries.ts";
import { navigate } from "../base/router.tsx";
import { chooseTheme, useTheme } from "../base/theme.ts";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Choice } from "../ui/field.tsx";
import { LanguageChoice } from "../ui/language-choice.tsx";
import { Badge, Trouble } from "../ui/notice.tsx";
import { focusOn, Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import classes from "./account.module.css";
import { IdentitiesSection } from "./identities-section.tsx";

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

const heading = "sessions";

function SessionsSection() {
  const { t } = useTranslation("portal");
  const query = useQuery(sessionsQuery);
  const [isAsking, setAsking] = useState(false);
  const signOut = useMutation({
    mutationFn: () => call("signOutOfPortal", { body: {} }),
    onSuccess: leave,
  });
  const end = useMutation({
    mutationFn: (sessionId: string) => call("endPortalSession", { params: { session_id: sessionId } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      announce(t("sessions.ended"));
      focusOn(heading);
    },
  });
  return (
    <Section id={heading} title={t("sessions.title")}>
      <Loaded query={query}>
        {({ data }) => (
          <ul className={classes.list}>
            {data.map((session) => (
              <li key={session.id}>
                <div className={classes.text}>
                  <span className={classes.title}>
                    {session.browser ?? t("sessions.unknown")}
                    {session.is_current && <Badge tone="good">{t("sessions.current")}</Badge>}
                  </span>
                  <span className="small dimmed">
                    {session.ip !== null && (
                      <>
                        <span className="mono">{session.ip}</span>
                        {" · "}
                      </>
                    )}
                    {t("sessions.lastUsed")} <Ago at={session.last_used_at} />
                  </span>
                </div>
                {!session.is_current && (
                  <Button
                    isSmall
                    aria-label={t("sessions.endOne", { name: session.browser ?? t("sessions.unknown") })}
                    isBusy={end.isPending && end.variables === session.id}
                    onClick={() => end.mutate(session.id)}
                  >
                    {t("sessions.end")}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Trouble error={end.error ?? signOut.error} />
      <div className={classes.actions}>
        <Button look="filled" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
          {t("sessions.signOut")}
        </Button>
        <Button onClick={() => setAsking(true)}>{t("sessions.signOutEverywhere")}</Button>
      </div>
      {isAsking && (
        <Confirm
          title={t("sessions.everywhereTitle")}
          label={t("sessions.signOutEverywhere")}
          run={() => call("signOutOfPortal", { body: { everywhere: true } })}
          onDone={leave}
          onClose={() => setAsking(false)}
        >
          <p>{t("sessions.everywhereText")}</p>
        </Confirm>
      )}
    </Section>
  );
}

function leave(): void {
  signedOut();
  navigate("/");
}
