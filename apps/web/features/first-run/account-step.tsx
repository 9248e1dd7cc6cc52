import { Alert, Button, Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { queryClient, useChange } from "../../api/queries.ts";
import type { Language } from "../../i18n/languages.ts";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { AccountFields, accountFields, noAccount } from "../identity/account-fields.tsx";
import classes from "./first-run.module.css";
import { StepCard } from "./step-card.tsx";

/** The user who opens the link that the server printed becomes the platform admin. */
export function AccountStep({ token }: { token: string }) {
  const { t, i18n } = useTranslation("identity");
  const navigate = useNavigate();
  const [draft, setDraft] = useState(noAccount);
  // Everything is reset afterwards; the page would be over before.
  const run = useChange("runSetup", { reloads: false });
  const submit = () => {
    const locale = i18n.language as Language;
    run.mutate(
      { body: { token, ...draft, locale } },
      {
        onSuccess: async () => {
          // The token has been used: remove it from the URL.
          await navigate({ to: "/setup", search: {}, replace: true });
          await queryClient.resetQueries();
        },
      },
    );
  };
  // It was valid when the page was opened, and expired while the person typed.
  const isOver = run.error instanceof ApiProblem && run.error.code === "invalid_setup_link";
  return (
    <StepCard step="account" title={t("setup.account.title")} lead={t("setup.account.lead")}>
      <Form onSubmit={submit} typed={null} error={run.error}>
        <Stack>
          {isOver ? (
            <Alert color="red" role="alert" icon={<Icon name="warning" />} title={t("setup.over.title")}>
              {t("setup.over.words")}
            </Alert>
          ) : (
            <ProblemAlert error={run.error} beside={accountFields} />
          )}
          <AccountFields draft={draft} onChange={setDraft} error={run.error} />
          <Button type="submit" className={classes.onward ?? ""} loading={run.isPending}>
            {t("setup.account.do")}
          </Button>
        </Stack>
      </Form>
    </StepCard>
  );
}
