import { Anchor, Button, Checkbox, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { useEnter } from "./next-page.ts";
import { Resend } from "./resend.tsx";

interface SignInFormProps {
  readonly next: string | undefined;
  /** Set if only this email address is accepted. */
  readonly fixedEmail?: string;
}

/** Email and password; the second factor has its own page. */
export function SignInForm({ next, fixedEmail }: SignInFormProps) {
  const { t } = useTranslation("identity");
  const navigate = useNavigate();
  const enter = useEnter();
  const [email, setEmail] = useState(fixedEmail ?? "");
  const [password, setPassword] = useState("");
  const [staysIn, setStaysIn] = useState(true);
  const signIn = useMutation({
    mutationFn: () =>
      callAuth<{ twoFactorRedirect?: true }>("signIn", { email, password, rememberMe: staysIn }),
    onSuccess: async ({ twoFactorRedirect }) => {
      if (twoFactorRedirect === true) await navigate({ to: "/sign-in/second-factor", search: { next } });
      else enter(next);
    },
  });
  const submit = () => {
    signIn.mutate();
  };
  const isUnverified = signIn.error instanceof ApiProblem && signIn.error.code === "email_not_verified";
  return (
    <Form onSubmit={submit} typed={null} error={signIn.error}>
      <Stack>
        {isUnverified ? (
          <Resend email={email} lead={t("verify.first")} />
        ) : (
          <ProblemAlert error={signIn.error} beside={["email", "password"]} />
        )}
        <TextInput
          label={t("email")}
          type="email"
          autoComplete="username webauthn"
          required
          withAsterisk={false}
          autoFocus={fixedEmail === undefined}
          readOnly={fixedEmail !== undefined}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldError(signIn.error, "email")}
        />
        <PasswordInput
          label={t("password")}
          autoComplete="current-password"
          required
          withAsterisk={false}
          autoFocus={fixedEmail !== undefined}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fieldError(signIn.error, "password")}
          visibilityToggleButtonProps={{ "aria-label": t("showPassword") }}
        />
        <Group justify="space-between" gap="xs">
          <Checkbox
            label={t("signIn.stay")}
            checked={staysIn}
            onChange={(event) => setStaysIn(event.currentTarget.checked)}
          />
          <Anchor component={Link} to="/forgot-password" size="sm">
            {t("signIn.forgot")}
          </Anchor>
        </Group>
        <Button type="submit" loading={signIn.isPending}>
          {t("signIn.do")}
        </Button>
      </Stack>
    </Form>
  );
}
