import { Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { fieldError } from "../../ui/problem-alert.tsx";
import { NewPassword } from "./new-password.tsx";

export interface AccountDraft {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export const noAccount: AccountDraft = { name: "", email: "", password: "" };

/** The fields that show their own errors. */
export const accountFields = ["name", "email", "password"] as const;

interface AccountFieldsProps {
  readonly draft: AccountDraft;
  readonly onChange: (draft: AccountDraft) => void;
  readonly error: Error | null;
  /** Set if the email address is fixed, as for an invitation. */
  readonly isEmailFixed?: boolean;
}

/** The fields of every new account. */
export function AccountFields({ draft, onChange, error, isEmailFixed = false }: AccountFieldsProps) {
  const { t } = useTranslation("identity");
  return (
    <Stack>
      <TextInput
        label={t("name")}
        autoComplete="name"
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        error={fieldError(error, "name")}
      />
      <TextInput
        label={t("email")}
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={isEmailFixed}
        value={draft.email}
        onChange={(event) => onChange({ ...draft, email: event.currentTarget.value })}
        error={fieldError(error, "email")}
      />
      <NewPassword
        value={draft.password}
        onChange={(password) => onChange({ ...draft, password })}
        about={[draft.name, draft.email]}
        error={fieldError(error, "password")}
      />
    </Stack>
  );
}
