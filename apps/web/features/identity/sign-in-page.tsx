import { Alert, Anchor, Button, Checkbox, Divider, Group, PasswordInput, Stack } from "@mantine/core";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask } from "../../api/queries.ts";
import { TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { AuthCard } from "./auth-card.tsx";
import { canSuggestPasskeys, canUsePasskeys, type PasskeyRequest, signWithPasskey } from "./passkey.ts";
import { Resend } from "./resend.tsx";
import { localPath, useEnter } from "./session.ts";

const signInRoute = getRouteApi("/auth-layout/sign-in");

export function SignInPage() {
  const { t } = useTranslation("identity");
  const { next } = signInRoute.useSearch();
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  return (
    <AuthCard
      title={t("signIn.title")}
      foot={
        setup.sign_up === "open" && (
          <>
            {t("signIn.noAccount")}{" "}
            <Anchor component={Link} to="/sign-up" inherit underline="always">
              {t("signUp.do")}
            </Anchor>
          </>
        )
      }
    >
      <Arrival />
      <SignInForm next={next} />
      <PasswordlessSignIn next={next} />
    </AuthCard>
  );
}

/** A message for users who come from an email or from Discord. */
function Arrival() {
  const { t } = useTranslation("identity");
  const { verified, error } = signInRoute.useSearch();
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  if (error !== undefined) {
    const known = discordErrors.find((code) => code === error.toLowerCase());
    const message =
      verified === true
        ? t(setup.email ? "verify.bad" : "verify.badNoEmail")
        : t(`discordErrors.${known ?? "other"}`);
    return (
      <Alert color="red" role="alert" icon={<Icon name="warning" />} mb="md">
        {message}
      </Alert>
    );
  }
  if (verified !== true) return null;
  return (
    <Alert color="verdigris" role="status" icon={<Icon name="check" />} mb="md">
      {t("verify.done")}
    </Alert>
  );
}

const discordErrors = [
  "access_denied",
  "account_not_linked",
  "email_not_verified",
  "signup_disabled",
  "state_mismatch",
  "suspended",
] as const;

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
  const form = useForm({
    start: { email: fixedEmail ?? "", password: "", rememberMe: true },
    send: async (credentials) => {
      const { twoFactorRedirect } = await callAuth<{ twoFactorRedirect?: true }>("signIn", credentials);
      if (twoFactorRedirect === true) await navigate({ to: "/sign-in/second-factor", search: { next } });
      else enter(next);
    },
  });
  const isUnverified = form.error instanceof ApiProblem && form.error.code === "email_not_verified";
  return (
    <Form {...form.props} typed={null} base={undefined}>
      <Stack>
        {isUnverified ? (
          <Resend email={form.values.email} lead={t("verify.first")} />
        ) : (
          <FormProblem form={form} />
        )}
        <TextField
          {...form.field("email")}
          label={t("email")}
          type="email"
          autoComplete="username webauthn"
          required
          withAsterisk={false}
          autoFocus={fixedEmail === undefined}
          readOnly={fixedEmail !== undefined}
        />
        <PasswordInput
          {...form.field("password")}
          label={t("password")}
          autoComplete="current-password"
          required
          withAsterisk={false}
          autoFocus={fixedEmail !== undefined}
          onChange={(event) => form.set({ password: event.currentTarget.value })}
          visibilityToggleButtonProps={{ "aria-label": t("showPassword") }}
        />
        <Group justify="space-between" gap="xs">
          <Checkbox
            label={t("signIn.stay")}
            checked={form.values.rememberMe}
            onChange={(event) => form.set({ rememberMe: event.currentTarget.checked })}
          />
          <Anchor component={Link} to="/forgot-password" size="sm">
            {t("signIn.forgot")}
          </Anchor>
        </Group>
        <Button type="submit" loading={form.isBusy}>
          {t("signIn.do")}
        </Button>
      </Stack>
    </Form>
  );
}

/** Sign-in methods without a password, if any. */
export function PasswordlessSignIn({ next }: { next: string | undefined }) {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const passkey = usePasskey(next);
  const discord = useMutation({
    mutationFn: () =>
      callAuth<{ url: string }>("signInWithDiscord", {
        provider: "discord",
        callbackURL: localPath(next),
        errorCallbackURL: next === undefined ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`,
      }),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (!setup.discord && !canUsePasskeys()) return null;
  return (
    <Stack gap="sm" mt="md">
      <Divider label={t("signIn.or")} />
      <ProblemAlert error={passkey.error ?? discord.error} />
      {canUsePasskeys() && (
        <Button
          variant="default"
          leftSection={<Icon name="key" size={16} />}
          loading={passkey.isBusy}
          onClick={passkey.ask}
        >
          {t("signIn.passkey")}
        </Button>
      )}
      {setup.discord && (
        <Button variant="default" loading={discord.isPending} onClick={() => discord.mutate()}>
          {t("signIn.discord")}
        </Button>
      )}
    </Stack>
  );
}

/** With the button, and where supported by autofill of the email field. */
function usePasskey(next: string | undefined) {
  const enter = useEnter();
  const [suggestions, setSuggestions] = useState(0);
  const waiting = useRef<AbortController>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);

  const run = async (mediation: CredentialMediationRequirement) => {
    // Only one request can be pending at a time.
    waiting.current?.abort();
    const turn = new AbortController();
    waiting.current = turn;
    const request = await callAuth<PasskeyRequest>("beginPasskeySignIn");
    if (turn.signal.aborted) return false;
    const response = await signWithPasskey(request, turn.signal, mediation);
    if (response === null || turn.signal.aborted) return false;
    await callAuth("signInWithPasskey", { response });
    enter(next);
    return true;
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: it restarts when the previous request has ended.
  useEffect(() => {
    let isGone = false;
    const suggest = async () => {
      if (!(await canSuggestPasskeys()) || isGone) return;
      await run("conditional").catch((problem: Error) => {
        setError(problem);
        // The server's challenge expires, so it is replaced after a while.
        setSuggestions((count) => count + 1);
      });
    };
    if (suggestions < 5) void suggest();
    return () => {
      isGone = true;
      waiting.current?.abort();
    };
  }, [suggestions]);

  const askNow = async () => {
    setBusy(true);
    setError(null);
    try {
      const isIn = await run("optional");
      if (!isIn) setSuggestions((count) => count + 1);
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return { ask: askNow, isBusy, error };
}
