import { Button, Checkbox, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { queryClient } from "../../api/queries.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { Time } from "../../ui/time.tsx";
import { AuthCard } from "./auth-card.tsx";
import { RequestLink } from "./forgot-password-page.tsx";
import { NewPassword } from "./new-password.tsx";

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

interface KeptWaysInProps {
  readonly ways: AccountAccess;
  readonly kept: ReadonlySet<string>;
  readonly onChange: (kept: ReadonlySet<string>) => void;
}

/** Someone else may have added them, so each is removed unless it is selected. */
function OtherAccess({ ways, kept, onChange }: KeptWaysInProps) {
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
