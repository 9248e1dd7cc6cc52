import { Anchor, Button, Checkbox, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, queryClient } from "../../api/queries.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { Time } from "../../ui/time.tsx";
import { AuthCard, ToSignInButton } from "./auth-card.tsx";
import { NewPassword } from "./new-password.tsx";

export function ForgotPasswordPage() {
  const { t } = useTranslation("identity");
  return <RequestLink title={t("forgot.title")} lead={t("forgot.lead")} leadNoEmail={t("forgot.noEmail")} />;
}

interface RequestLinkProps {
  readonly title: string;
  readonly lead: string;
  /** Shown instead on a server that sends no emails. */
  readonly leadNoEmail: string;
}

/** The response is the same whether or not the email address has an account, and so is the page. */
function RequestLink({ title, lead, leadNoEmail }: RequestLinkProps) {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => callAuth("requestPasswordReset", { email }) });
  const foot = (
    <Anchor component={Link} to="/sign-in" inherit>
      {t("toSignIn")}
    </Anchor>
  );
  // The link is not shown here: it would give access to any account whose email address is entered.
  if (!setup.email)
    return (
      <AuthCard title={title} lead={leadNoEmail}>
        <ToSignInButton />
      </AuthCard>
    );
  if (request.isSuccess) {
    return (
      <AuthCard title={t("forgot.sentTitle")} lead={t("forgot.sent", { email })} foot={foot}>
        <Button variant="default" fullWidth onClick={() => request.reset()}>
          {t("forgot.again")}
        </Button>
      </AuthCard>
    );
  }
  return (
    <AuthCard title={title} lead={lead} foot={foot}>
      {/* Not guarded: an email address is quick to retype. */}
      <Form onSubmit={() => request.mutate()} typed={null} error={request.error}>
        <Stack>
          <ProblemAlert error={request.error} beside={["email"]} />
          <TextField
            label={t("email")}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            value={email}
            onChange={setEmail}
            error={fieldError(request.error, "email")}
          />
          <Button type="submit" loading={request.isPending}>
            {t("forgot.do")}
          </Button>
        </Stack>
      </Form>
    </AuthCard>
  );
}

const resetPasswordRoute = getRouteApi("/auth-layout/reset-password");

/** Opened with the link from the email, which works once. */
export function ResetPasswordPage() {
  const { t } = useTranslation("identity");
  const { token, first = false } = resetPasswordRoute.useSearch();
  const [password, setPassword] = useState("");
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const ways = useQuery({
    queryKey: ["inspectPasswordReset", token],
    queryFn: () => callAuth<AccountAccess>("inspectPasswordReset", { token }),
    enabled: token !== undefined,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const reset = useMutation({
    mutationFn: () =>
      callAuth("resetPassword", {
        token,
        newPassword: password,
        keepPasskeys: idsOf(ways.data?.passkeys, kept),
        keepAccessTokens: idsOf(ways.data?.accessTokens, kept),
        keepDiscord: kept.has("discord"),
      }),
    // All sessions have ended, including this browser's.
    onSuccess: () => queryClient.clear(),
  });
  if (reset.isSuccess) {
    return (
      <AuthCard title={t("reset.doneTitle")} lead={t("reset.done")}>
        <Button component={Link} to="/sign-in" fullWidth>
          {t("signIn.do")}
        </Button>
      </AuthCard>
    );
  }
  const isOver = [ways.error, reset.error].some(
    (error) => error instanceof ApiProblem && error.code === "invalid_link",
  );
  if (token === undefined || isOver)
    return (
      <RequestLink title={t("reset.badTitle")} lead={t("reset.bad")} leadNoEmail={t("reset.badNoEmail")} />
    );
  return (
    <AuthCard
      title={t(first ? "reset.firstTitle" : "reset.title")}
      lead={t(first ? "reset.firstLead" : "reset.lead")}
    >
      <Form onSubmit={() => reset.mutate()} typed={[...kept].sort()} error={reset.error}>
        <Stack>
          <ProblemAlert error={reset.error ?? ways.error} beside={["newPassword"]} />
          <NewPassword
            label={t(first ? "reset.firstPassword" : "reset.password")}
            autoFocus
            value={password}
            onChange={setPassword}
            error={fieldError(reset.error, "newPassword")}
          />
          {ways.data !== undefined && <OtherAccess ways={ways.data} kept={kept} onChange={setKept} />}
          {/* Only after it is known what would be removed. */}
          <Button type="submit" loading={reset.isPending} disabled={!ways.isSuccess}>
            {t("reset.do")}
          </Button>
        </Stack>
      </Form>
    </AuthCard>
  );
}

function idsOf(things: readonly { readonly id: string }[] = [], kept: ReadonlySet<string>): string[] {
  return things.map(({ id }) => id).filter((id) => kept.has(id));
}

/** The account's other sign-in methods, as the server shows them to users who have the link. */
interface AccountAccess {
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly createdAt: string | null;
  }[];
  readonly accessTokens: readonly {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly createdAt: string;
    readonly lastUsedAt: string | null;
  }[];
  readonly discord: { readonly discordId: string } | null;
}

interface OtherAccessProps {
  readonly ways: AccountAccess;
  readonly kept: ReadonlySet<string>;
  readonly onChange: (kept: ReadonlySet<string>) => void;
}

/** Someone else may have added them, so each is removed unless it is selected. */
function OtherAccess({ ways, kept, onChange }: OtherAccessProps) {
  const { t } = useTranslation("identity");
  const { passkeys, accessTokens, discord } = ways;
  if (passkeys.length + accessTokens.length === 0 && discord === null) return null;
  const box = (id: string, label: string, createdAt: string | null) => (
    <Checkbox
      key={id}
      label={label}
      description={
        createdAt === null ? undefined : (
          <>
            {t("reset.added")} <Time at={createdAt} />
          </>
        )
      }
      styles={{ label: { overflowWrap: "anywhere" } }}
      checked={kept.has(id)}
      onChange={(event) =>
        onChange(new Set(event.currentTarget.checked ? [...kept, id] : [...kept].filter((one) => one !== id)))
      }
    />
  );
  return (
    <Stack gap="xs" role="group" aria-label={t("reset.keepTitle")}>
      <div>
        <Text fw={600} size="sm">
          {t("reset.keepTitle")}
        </Text>
        <Dimmed>{t("reset.keep")}</Dimmed>
      </div>
      {passkeys.map(({ id, name, createdAt }) =>
        box(id, t("reset.passkey", { name: name ?? t("reset.unnamed") }), createdAt),
      )}
      {accessTokens.map(({ id, name, prefix, createdAt }) =>
        box(id, t("reset.token", { name, prefix }), createdAt),
      )}
      {discord !== null && box("discord", t("reset.discord", { id: discord.discordId }), null)}
    </Stack>
  );
}
