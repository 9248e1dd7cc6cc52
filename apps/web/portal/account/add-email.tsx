import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "../base/api.ts";
import { codeLength } from "../base/sign-in-code.ts";
import { CodeInput } from "../sign-in/code-input.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { fieldProblem } from "../ui/field-problem.ts";
import { Trouble } from "../ui/notice.tsx";
import classes from "./account.module.css";

interface AddEmailProps {
  readonly onDone: (me: Me, email: string) => void;
  readonly onClose: () => void;
}

/** The code proves that the email address is the person's own. */
export function AddEmail({ onDone, onClose }: AddEmailProps) {
  const { t } = useTranslation("portal");
  const [email, setEmail] = useState("");
  const [digits, setDigits] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const codeField = useRef<HTMLInputElement>(null);
  const request = useMutation({ mutationFn: () => call("addPortalEmail", { body: { email } }) });
  const verify = useMutation({
    mutationFn: (code: string) => call("verifyPortalEmail", { body: { email, code } }),
    onSuccess: (me) => onDone(me, email),
    onError: () => {
      setDigits("");
      codeField.current?.focus();
    },
  });
  const isSent = request.isSuccess;
  useEffect(() => {
    if (isSent) codeField.current?.focus();
    else field.current?.focus();
  }, [isSent]);
  const enter = (typed: string) => {
    setDigits(typed);
    if (typed.length === codeLength && !verify.isPending) verify.mutate(typed);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isSent) {
      if (!request.isPending) request.mutate();
    } else if (digits.length === codeLength && !verify.isPending) verify.mutate(digits);
  };
  const wrongEmail = fieldProblem(request.error, "email");
  return (
    <form className={classes.form} onSubmit={submit}>
      {isSent ? (
        <>
          <p>{t("identities.codeText", { email })}</p>
          <CodeInput ref={codeField} value={digits} isWrong={verify.error !== null} onChange={enter} />
          <Trouble error={verify.error} />
        </>
      ) : (
        <>
          <Field
            ref={field}
            label={t("identities.newEmail")}
            hint={t("identities.newEmailHint")}
            error={wrongEmail}
            type="email"
            autoComplete="email"
            required
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Trouble error={wrongEmail === null ? request.error : null} />
        </>
      )}
      <div className={classes.actions}>
        <Button onClick={onClose}>{t("cancel")}</Button>
        <Button type="submit" look="filled" isBusy={request.isPending || verify.isPending}>
          {isSent ? t("identities.confirm") : t("identities.sendCode")}
        </Button>
      </div>
    </form>
  );
}
