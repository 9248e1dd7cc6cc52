import { Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { queryClient } from "../../api/queries.ts";
import { fieldError } from "../../ui/problem-alert.tsx";
import { AskForLink } from "./ask-for-link.tsx";
import { NewPassword } from "./new-password.tsx";
import { OutsideCard } from "./outside-card.tsx";
import { Refusal } from "./refusal.tsx";
import { resetPasswordRoute } from "./routes.tsx";

/** With the link from the letter, which works once. */
export function ResetPasswordPage() {
  const { t } = useTranslation("identity");
  const { token } = resetPasswordRoute.useSearch();
  const [password, setPassword] = useState("");
  const reset = useMutation({
    mutationFn: () => callAuth("resetPassword", { token, newPassword: password }),
    // Every session has ended, this browser's too.
    onSuccess: () => queryClient.clear(),
  });
  const isOver = reset.error instanceof ApiProblem && reset.error.kind === "wrong-credentials";
  if (token === undefined || isOver) return <AskForLink title={t("reset.badTitle")} lead={t("reset.bad")} />;
  if (reset.isSuccess) {
    return (
      <OutsideCard title={t("reset.doneTitle")} lead={t("reset.done")}>
        <Button component={Link} to="/sign-in" fullWidth>
          {t("signIn.do")}
        </Button>
      </OutsideCard>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    reset.mutate();
  };
  return (
    <OutsideCard title={t("reset.title")} lead={t("reset.lead")}>
      <form onSubmit={submit}>
        <Stack>
          <Refusal error={reset.error} beside={["newPassword"]} />
          <NewPassword
            label={t("reset.password")}
            autoFocus
            value={password}
            onChange={setPassword}
            error={fieldError(reset.error, "newPassword")}
          />
          <Button type="submit" loading={reset.isPending}>
            {t("reset.do")}
          </Button>
        </Stack>
      </form>
    </OutsideCard>
  );
}
