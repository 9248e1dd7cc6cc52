import { PasswordInput } from "@mantine/core";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import type { Field } from "../../ui/use-form.tsx";
import classes from "./auth-card.module.css";

interface NewPasswordProps extends Field<string> {
  /** Known facts about the user, which a password must not contain. */
  readonly about?: readonly string[];
  readonly label?: string;
  readonly autoFocus?: boolean;
}

/** A new password, with its rules. The server decides. */
export function NewPassword({ value, onChange, error, about = [], label, autoFocus }: NewPasswordProps) {
  const { t } = useTranslation("identity");
  const rules = useId();
  const length = [...value].length;
  const kept = {
    length: length >= 8 && length <= 128,
    own: value !== "" && !about.some((fact) => isAbout(value, fact)),
  };
  return (
    <div>
      <PasswordInput
        label={label ?? t("password")}
        autoComplete="new-password"
        required
        withAsterisk={false}
        autoFocus={autoFocus ?? false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        aria-describedby={rules}
        visibilityToggleButtonProps={{ "aria-label": t("showPassword") }}
      />
      <ul className={classes.rules} id={rules}>
        <Rule isKept={kept.length}>{t("passwordRules.length")}</Rule>
        <Rule isKept={kept.own}>{t("passwordRules.own")}</Rule>
        {/* Checked by the server only. */}
        <Rule isKept={false}>{t("passwordRules.common")}</Rule>
      </ul>
    </div>
  );
}

function Rule({ isKept, children }: { isKept: boolean; children: string }) {
  return (
    <li data-kept={isKept || undefined}>
      <span className={classes.mark}>{isKept ? <Icon name="check" size={12} /> : "·"}</span>
      {children}
    </li>
  );
}

function isAbout(password: string, fact: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const [written, known, mailbox] = [plain(password), plain(fact), plain(fact.split("@")[0] ?? "")];
  return known.length >= 4 && (written === known || written === mailbox);
}
