import { type Ref, useId } from "react";
import { useTranslation } from "react-i18next";
import { digitsOf } from "../base/sign-in-code.ts";
import classes from "./sign-in.module.css";

interface CodeInputProps {
  readonly ref?: Ref<HTMLInputElement>;
  readonly value: string;
  readonly isWrong: boolean;
  readonly onChange: (digits: string) => void;
}

/** One field for all six digits: it can be pasted into, and phones fill it in from a message. */
export function CodeInput({ ref, value, isWrong, onChange }: CodeInputProps) {
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
