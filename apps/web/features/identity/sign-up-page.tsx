import { Anchor, Button, Stack, TextInput } from "@mantine/core";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { AuthCard } from "./auth-card.tsx";
import { NewPassword } from "./new-password.tsx";
import { Resend } from "./resend.tsx";

/** Available only if sign-up is open. Invitations have their own page. */
export function SignUpPage() {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (setup.sign_up !== "open") {
    return (
      <AuthCard title={t("signUp.title")} lead={t("signUp.closed")}>
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          {t("toSignIn")}
        </Button>
      </AuthCard>
    );
  }
  if (sentTo !== null && !setup.email)
    return (
      <AuthCard title={t("verify.noEmailTitle")} lead={t("verify.noEmail", { email: sentTo })}>
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          {t("toSignIn")}
        </Button>
      </AuthCard>
    );
  if (sentTo !== null) {
    return (
      <AuthCard title={t("verify.title")} lead={t("verify.lead", { email: sentTo })} foot={<ToSignIn />}>
        <Resend email={sentTo} lead={t("verify.nothing")} />
      </AuthCard>
    );
  }
  return (
    <AuthCard title={t("signUp.title")} foot={<ToSignIn />}>
      <SignUpForm action={t("signUp.do")} onDone={({ email }) => setSentTo(email)} />
    </AuthCard>
  );
}

function ToSignIn() {
  const { t } = useTranslation("identity");
  return (
    <>
      {t("signUp.hasAccount")}{" "}
      <Anchor component={Link} to="/sign-in" inherit underline="always">
        {t("signIn.do")}
      </Anchor>
    </>
  );
}

interface SignUpFormProps {
  readonly action: string;
  /** From an invitation, which is for one email address. */
  readonly invitation?: { readonly email: string; readonly token: string };
  readonly onDone: (account: Pick<AccountDraft, "email" | "password">) => unknown;
}

export function SignUpForm({ action, invitation, onDone }: SignUpFormProps) {
  const [draft, setDraft] = useState({ ...noAccount, email: invitation?.email ?? "" });
  const signUp = useMutation({
    mutationFn: async () => {
      const token = invitation === undefined ? {} : { invitationToken: invitation.token };
      await callAuth("signUp", { ...draft, ...token });
      await onDone({ email: draft.email, password: draft.password });
    },
  });
  const submit = () => {
    signUp.mutate();
  };
  return (
    <Form onSubmit={submit} typed={null} error={signUp.error}>
      <Stack>
        <ProblemAlert error={signUp.error} beside={accountFields} />
        <AccountFields
          draft={draft}
          onChange={setDraft}
          error={signUp.error}
          isEmailFixed={invitation !== undefined}
        />
        <Button type="submit" loading={signUp.isPending}>
          {action}
        </Button>
      </Stack>
    </Form>
  );
}

interface AccountDraft {
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
