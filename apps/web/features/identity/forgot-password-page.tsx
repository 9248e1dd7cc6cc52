import { Anchor, Button, Stack } from "@mantine/core";
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { AuthCard } from "./auth-card.tsx";

export function ForgotPasswordPage() {
  const { t } = useTranslation("identity");
  return <RequestLink title={t("forgot.title")} lead={t("forgot.lead")} leadNoEmail={t("forgot.noEmail")} />;
}

interface AskForLinkProps {
  readonly title: string;
  readonly lead: string;
  /** Shown instead on a server that sends no emails. */
  readonly leadNoEmail: string;
}

/** The response is the same whether or not the email address has an account, and so is the page. */
export function RequestLink({ title, lead, leadNoEmail }: AskForLinkProps) {
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
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          {t("toSignIn")}
        </Button>
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
