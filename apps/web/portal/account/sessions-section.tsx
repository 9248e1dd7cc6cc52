import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../base/api.ts";
import { queryClient, sessionsQuery, signedOut } from "../base/queries.ts";
import { navigate } from "../base/router.tsx";
import { announce } from "../ui/announce.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Trouble } from "../ui/notice.tsx";
import { focusOn, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import classes from "./account.module.css";

const heading = "sessions";

export function SessionsSection() {
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
