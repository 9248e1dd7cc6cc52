import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../base/api.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { fieldProblem } from "../ui/field-problem.ts";
import { Trouble } from "../ui/notice.tsx";
import { newSentCode, type SentCode } from "./sent-code.ts";
import classes from "./sign-in.module.css";

interface EmailFormProps {
  readonly next: string;
  readonly takesFocus: boolean;
  readonly onSent: (code: SentCode) => void;
}

export function EmailForm({ next, takesFocus, onSent }: EmailFormProps) {
  const { t } = useTranslation("portal");
  const [email, setEmail] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);
  const request = useMutation({
    mutationFn: () => call("requestPortalSignIn", { body: { email, next } }),
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
