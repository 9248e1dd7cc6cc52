import { Anchor, Button, Stack } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { FormProblem, type FormState, useForm } from "../../ui/use-form.tsx";
import { AuthCard, ToSignInButton } from "./auth-card.tsx";
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
        <ToSignInButton />
      </AuthCard>
    );
  }
  if (sentTo !== null && !setup.email)
    return (
      <AuthCard title={t("verify.noEmailTitle")} lead={t("verify.noEmail", { email: sentTo })}>
        <ToSignInButton />
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
  const form = useForm({
    start: { ...noAccount, email: invitation?.email ?? "" },
    send: async ({ name, email, password }) => {
      const token = invitation === undefined ? {} : { invitationToken: invitation.token };
      await callAuth("signUp", { name, email, password, ...token });
      await onDone({ email, password });
    },
  });
  return (
    <Form {...form.props} typed={null} base={undefined}>
      <Stack>
        <FormProblem form={form} />
        <AccountFields form={form} isEmailFixed={invitation !== undefined} />
        <Button type="submit" loading={form.isBusy}>
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

interface AccountFieldsProps {
  readonly form: FormState<AccountDraft>;
  /** Set if the email address is fixed, as for an invitation. */
  readonly isEmailFixed?: boolean;
}

/** The fields of every new account. */
export function AccountFields({ form, isEmailFixed = false }: AccountFieldsProps) {
  const { t } = useTranslation("identity");
  return (
    <Stack>
      <TextField
        {...form.field("name")}
        label={t("name")}
        autoComplete="name"
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
      />
      <TextField
        {...form.field("email")}
        label={t("email")}
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={isEmailFixed}
      />
      <NewPassword {...form.field("password")} about={[form.values.name, form.values.email]} />
    </Stack>
  );
}
