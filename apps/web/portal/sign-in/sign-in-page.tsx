import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { atServer, relationTo } from "../../api/server-url.ts";
import { call } from "../base/api.ts";
import { usePageBrand } from "../base/brand.tsx";
import { wantedLanguage } from "../base/language.ts";
import { linkToken, openKey, pageAfterSignIn } from "../base/link-contents.ts";
import type { PageName } from "../base/pages.ts";
import { hasSessionEnded, optionsQuery, signedIn } from "../base/queries.ts";
import { navigate, usePath } from "../base/router.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Field, fieldProblem } from "../ui/field.tsx";
import { DiscordFailure, Notice, Trouble } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { forgetSentCode, newSentCode, rememberSentCode, type SentCode, sentCode } from "./code.ts";
import { CodeForm } from "./code-form.tsx";
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
          <DiscordFailure
            textOf={(reason) =>
              t(reason === "discord_denied" ? "signIn.discordDenied" : "signIn.discordFailed")
            }
          />
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

interface EmailFormProps {
  readonly next: string;
  readonly takesFocus: boolean;
  readonly onSent: (code: SentCode) => void;
}

function EmailForm({ next, takesFocus, onSent }: EmailFormProps) {
  const { t } = useTranslation("portal");
  const [email, setEmail] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);
  const request = useMutation({
    mutationFn: () =>
      call("requestPortalSignIn", { body: { email, next, language: wantedLanguage() ?? undefined } }),
    onSuccess: ({ expires_in_seconds }) => onSent(newSentCode(email.trim(), expires_in_seconds, Date.now())),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!request.isPending) request.mutate();
  };
  const wrongEmail = fieldProblem(request.error, "email");
  return (
    <form className={classes.form} onSubmit={submit}>
      <Field
        ref={field}
        label={t("signIn.email")}
        hint={t("signIn.emailHint")}
        error={wrongEmail}
        type="email"
        name="email"
        autoComplete="email"
        inputMode="email"
        required
        maxLength={254}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Trouble error={wrongEmail === null ? request.error : null} />
      <Button type="submit" look="filled" isBusy={request.isPending}>
        {t("signIn.sendCode")}
      </Button>
    </form>
  );
}

function DiscordButton({ next }: { readonly next: string }) {
  const { t } = useTranslation("portal");
  const start = useMutation({
    mutationFn: () => call("startPortalDiscord", { body: { next } }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <div className={classes.wide}>
      <Button isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        {t("signIn.discord")}
      </Button>
      <Trouble error={start.error} />
    </div>
  );
}

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
