import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../base/api.ts";
import { signedIn } from "../base/queries.ts";
import { navigate } from "../base/router.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Trouble } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { linkToken } from "./link-token.ts";
import { forgetSentCode } from "./sent-code.ts";
import classes from "./sign-in.module.css";

/** From the link in the email. A button, because mail scanners open links too, and a link works once. */
export function LinkPage() {
  const { t } = useTranslation("portal");
  const [link] = useState(() => linkToken(window.location.hash));
  const signIn = useMutation({
    mutationFn: () => call("signInWithPortalLink", { body: { token: link?.token ?? "" } }),
    onSuccess: (me) => {
      forgetSentCode();
      signedIn(me);
      navigate(link?.next ?? "/", { replaces: true });
    },
  });
  return (
    <div className={classes.frame}>
      <div className={classes.card}>
        <Page title={t("link.title")}>
          <p>{t(link === null ? "link.incomplete" : "link.text")}</p>
          <Trouble error={signIn.error} />
          {signIn.isError || link === null ? (
            <ButtonLink to="/" look="filled">
              {t("link.newCode")}
            </ButtonLink>
          ) : (
            <Button look="filled" isBusy={signIn.isPending} onClick={() => signIn.mutate()}>
              {t("link.submit")}
            </Button>
          )}
        </Page>
      </div>
    </div>
  );
}
