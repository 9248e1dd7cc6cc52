import { Button, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { queryClient } from "../../api/queries.ts";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { AuthCard } from "./auth-card.tsx";
import { NewPassword } from "./new-password.tsx";
import { type AccountAccess, OtherAccess } from "./other-access.tsx";
import { RequestLink } from "./request-link.tsx";

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
