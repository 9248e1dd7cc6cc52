import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { atServer, relationTo } from "../../api/server-url.ts";
import { usePageBrand } from "../base/brand.tsx";
import { openKey, pageAfterSignIn } from "../base/open-key.ts";
import type { PageName } from "../base/pages.ts";
import { hasSessionEnded, optionsQuery } from "../base/queries.ts";
import { usePath } from "../base/router.tsx";
import { Notice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { CodeForm } from "./code-form.tsx";
import { DiscordButton } from "./discord-button.tsx";
import { EmailForm } from "./email-form.tsx";
import { forgetSentCode, rememberSentCode, type SentCode, sentCode } from "./sent-code.ts";
import classes from "./sign-in.module.css";

/** Email address, then code. The step survives a reload: phones discard pages while the person reads the email. */
export function SignInPage({ page }: { readonly page: PageName }) {
  const { t } = useTranslation("portal");
  const path = usePath();
  const options = useQuery(optionsQuery);
  const [sent, setSent] = useState<SentCode | null>(() => sentCode(Date.now()));
  const [hasStartedOver, setStartedOver] = useState(false);
  usePageBrand(null);
  useEffect(() => {
    if (page === "open") openKey();
  }, [page]);
  const portalUrl = options.data?.url;
  useEffect(() => {
    if (portalUrl === undefined) return;
    // Changes are accepted only from the portal's own URL.
    if (relationTo(portalUrl, new URL(location.href)) === "loopback") location.replace(atServer(portalUrl));
  }, [portalUrl]);
  const next = page === "signIn" ? pageAfterSignIn() : path;
  const onSent = (code: SentCode) => {
    rememberSentCode(code);
    setSent(code);
  };
  const startOver = () => {
    setStartedOver(true);
    forgetSentCode();
    setSent(null);
  };
  return (
    <div className={classes.frame}>
      <div className={classes.card}>
        <Page title={sent === null ? t("signIn.title") : t("signIn.codeTitle")}>
          {page === "open" && sent === null && (
            <Notice>
              <p>{t("signIn.forOpen")}</p>
            </Notice>
          )}
          {hasSessionEnded() && sent === null && (
            <Notice>
              <p>{t("signIn.ended")}</p>
            </Notice>
          )}
          <DiscordFailure />
          {options.data?.sends_email === false && (
            <Notice tone="warning">
              <p>{t("signIn.noEmail")}</p>
            </Notice>
          )}
          {sent === null ? (
            <>
              <EmailForm next={next} takesFocus={hasStartedOver} onSent={onSent} />
              {options.data?.discord === true && (
                <>
                  <p className={classes.or}>{t("signIn.or")}</p>
                  <DiscordButton next={next} />
                </>
              )}
            </>
          ) : (
            <CodeForm key={sent.email} sent={sent} next={next} onSent={onSent} onOtherEmail={startOver} />
          )}
        </Page>
      </div>
    </div>
  );
}

/** Discord sends people back with a reason if it did not work. */
function DiscordFailure() {
  const { t } = useTranslation("portal");
  const reason = new URLSearchParams(window.location.search).get("error");
  if (reason === null) return null;
  return (
    <div role="alert">
      <Notice tone="danger">
        <p>{t(reason === "discord_denied" ? "signIn.discordDenied" : "signIn.discordFailed")}</p>
      </Notice>
    </div>
  );
}
