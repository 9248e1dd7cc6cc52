import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../base/api.ts";
import { clockText, useCountdown } from "../base/countdown.ts";
import { signedIn } from "../base/queries.ts";
import { codeLength } from "../base/sign-in-code.ts";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Trouble } from "../ui/notice.tsx";
import { CodeInput } from "./code-input.tsx";
import { forgetSentCode, newSentCode, type SentCode } from "./sent-code.ts";
import classes from "./sign-in.module.css";

interface CodeFormProps {
  readonly sent: SentCode;
  readonly next: string;
  readonly onSent: (code: SentCode) => void;
  readonly onOtherEmail: () => void;
}

export function CodeForm({ sent, next, onSent, onOtherEmail }: CodeFormProps) {
  const { t } = useTranslation("portal");
  const [digits, setDigits] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const validFor = useCountdown(sent.expiresAtMs);
  const resendIn = useCountdown(sent.resendAtMs);
  useEffect(() => input.current?.focus(), []);

  const verify = useMutation({
    mutationFn: (code: string) => call("verifyPortalSignIn", { body: { email: sent.email, code } }),
    onSuccess: (me) => {
      forgetSentCode();
      signedIn(me);
    },
    onError: () => {
      setDigits("");
      input.current?.focus();
    },
  });
  const resend = useMutation({
    mutationFn: () => call("requestPortalSignIn", { body: { email: sent.email, next } }),
    onSuccess: ({ expires_in_seconds }) => {
      verify.reset();
      onSent(newSentCode(sent.email, expires_in_seconds, Date.now()));
      announce(t("signIn.resent"));
      input.current?.focus();
    },
  });

  const enter = (typed: string) => {
    setDigits(typed);
    if (typed.length === codeLength && !verify.isPending) verify.mutate(typed);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (digits.length === codeLength && !verify.isPending) verify.mutate(digits);
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <p>{t("signIn.codeText", { email: sent.email })}</p>
      <CodeInput ref={input} value={digits} isWrong={verify.error !== null} onChange={enter} />
      <Trouble error={verify.error ?? resend.error} />
      <p className="small dimmed figures">
        {validFor > 0 ? t("signIn.validFor", { time: clockText(validFor) }) : t("signIn.codeExpired")}
      </p>
      <Button type="submit" look="filled" isBusy={verify.isPending}>
        {t("signIn.submit")}
      </Button>
      <div className={classes.others}>
        <Button
          look="quiet"
          isSmall
          disabled={resendIn > 0}
          isBusy={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {resendIn > 0 ? t("signIn.resendIn", { time: clockText(resendIn) }) : t("signIn.resend")}
        </Button>
        <Button look="quiet" isSmall onClick={onOtherEmail}>
          {t("signIn.otherEmail")}
        </Button>
      </div>
      <p className="small dimmed">{t("signIn.nothingArrived")}</p>
    </form>
  );
}
