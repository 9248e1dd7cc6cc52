import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type Ref, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "../base/api.ts";
import { wantedLanguage } from "../base/language.ts";
import { signedIn } from "../base/queries.ts";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Trouble } from "../ui/notice.tsx";
import { clockText, useCountdown } from "../ui/time.tsx";
import { codeLength, digitsOf, forgetSentCode, newSentCode, type SentCode } from "./code.ts";
import classes from "./sign-in.module.css";

interface CodeFormProps {
  readonly sent: SentCode;
  readonly next: string;
  readonly onSent: (code: SentCode) => void;
  readonly onOtherEmail: () => void;
}

export function CodeForm({ sent, next, onSent, onOtherEmail }: CodeFormProps) {
  const { t } = useTranslation("portal");
  const { input, field, verify, submit } = useCodeEntry(
    (code) => call("verifyPortalSignIn", { body: { email: sent.email, code } }),
    (me) => {
      forgetSentCode();
      signedIn(me);
    },
  );
  const validFor = useCountdown(sent.expiresAtMs);
  const resendIn = useCountdown(sent.resendAtMs);
  useEffect(() => field.current?.focus(), [field]);
  const resend = useMutation({
    mutationFn: () =>
      call("requestPortalSignIn", {
        body: { email: sent.email, next, language: wantedLanguage() ?? undefined },
      }),
    onSuccess: ({ expires_in_seconds }) => {
      verify.reset();
      onSent(newSentCode(sent.email, expires_in_seconds, Date.now()));
      announce(t("signIn.resent"));
      field.current?.focus();
    },
  });
  return (
    <form className={classes.form} onSubmit={submit}>
      <p>{t("signIn.codeText", { email: sent.email })}</p>
      {input}
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

/** Asks for a code. It is checked as soon as all digits are there, and a wrong one is removed. */
export function useCodeEntry(check: (code: string) => Promise<Me>, onRight: (me: Me) => void) {
  const [digits, setDigits] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const verify = useMutation({
    mutationFn: check,
    onSuccess: onRight,
    onError: () => {
      setDigits("");
      field.current?.focus();
    },
  });
  const checkIfComplete = (code: string) => {
    if (code.length === codeLength && !verify.isPending) verify.mutate(code);
  };
  const enter = (typed: string) => {
    setDigits(typed);
    checkIfComplete(typed);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    checkIfComplete(digits);
  };
  const input = <CodeInput ref={field} value={digits} isWrong={verify.error !== null} onChange={enter} />;
  return { input, field, verify, submit };
}

interface CodeInputProps {
  readonly ref?: Ref<HTMLInputElement>;
  readonly value: string;
  readonly isWrong: boolean;
  readonly onChange: (digits: string) => void;
}

/** One field for all six digits: it can be pasted into, and phones fill it in from a message. */
function CodeInput({ ref, value, isWrong, onChange }: CodeInputProps) {
  const { t } = useTranslation("portal");
  const id = useId();
  return (
    <div className={classes.code}>
      <label htmlFor={id}>{t("signIn.code")}</label>
      <input
        ref={ref}
        id={id}
        name="code"
        type="text"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoCorrect="off"
        spellCheck={false}
        required
        aria-invalid={isWrong || undefined}
        value={value}
        onChange={(event) => onChange(digitsOf(event.target.value))}
      />
    </div>
  );
}
