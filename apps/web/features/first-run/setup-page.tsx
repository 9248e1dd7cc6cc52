import { Alert, Button, Code, List, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Trans, useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { ask, queryClient, useChange } from "../../api/queries.ts";
import type { Language } from "../../i18n/languages.ts";
import { paths } from "../../session/paths.ts";
import { Form } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoButton } from "../../ui/links.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { AuthCard } from "../identity/auth-card.tsx";
import { askSession } from "../identity/session.ts";
import { AccountFields, noAccount } from "../identity/sign-up-page.tsx";
import classes from "./first-run.module.css";
import { FirstRun } from "./first-run.tsx";
import { StepCard } from "./step-card.tsx";

const setupRoute = getRouteApi("/auth-layout/setup");

/** The first account of an installation, then all steps up to the first validation. */
export function SetupPage() {
  const { token } = setupRoute.useSearch();
  const query = token === undefined ? {} : { query: { token } };
  // Kept while the user is typing: an expiring link must not remove the form.
  const { data: setup } = useSuspenseQuery({
    ...ask("getSetup", query),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: session } = useSuspenseQuery(askSession);
  if (!setup.is_open) return session === null ? <SetUpAlready /> : <FirstRun />;
  if (token === undefined) return <NeedsLink />;
  return setup.is_link_good === true ? <AccountStep token={token} /> : <LinkIsOver />;
}

function LinkIsOver() {
  const { t } = useTranslation("identity");
  return <AuthCard title={t("setup.over.title")} lead={t("setup.over.words")} />;
}

function NeedsLink() {
  const { t } = useTranslation("identity");
  return (
    <AuthCard title={t("setup.needsLink.title")} lead={t("setup.needsLink.lead")}>
      <Stack>
        <List type="ordered" spacing="xs">
          <List.Item>{t("setup.needsLink.look")}</List.Item>
          <List.Item>
            <Trans t={t} i18nKey="setup.needsLink.open" components={{ c: <Code /> }} />
          </List.Item>
        </List>
        <Text c="dimmed" size="sm">
          {t("setup.needsLink.restart")}
        </Text>
      </Stack>
    </AuthCard>
  );
}

function SetUpAlready() {
  const { t } = useTranslation("identity");
  return (
    <AuthCard title={t("setup.already.title")} lead={t("setup.already.lead")}>
      <GoButton to={paths.signIn({ next: "/setup" })} fullWidth>
        {t("signIn.do")}
      </GoButton>
    </AuthCard>
  );
}

/** The user who opens the link that the server printed becomes the platform admin. */
function AccountStep({ token }: { token: string }) {
  const { t, i18n } = useTranslation("identity");
  const navigate = useNavigate();
  // Everything is reset afterwards; the page would be over before.
  const run = useChange("runSetup", { reloads: false });
  const form = useForm({
    start: noAccount,
    send: async (account) => {
      await run.mutateAsync({ body: { token, ...account, locale: i18n.language as Language } });
      // The token has been used: remove it from the URL.
      await navigate({ to: "/setup", search: {}, replace: true });
      await queryClient.resetQueries();
    },
  });
  // It was valid when the page was opened, and expired while the person typed.
  const isOver = form.error instanceof ApiProblem && form.error.code === "invalid_setup_link";
  return (
    <StepCard step="account" title={t("setup.account.title")} lead={t("setup.account.lead")}>
      <Form {...form.props} typed={null} base={undefined}>
        <Stack>
          {isOver ? (
            <Alert color="red" role="alert" icon={<Icon name="warning" />} title={t("setup.over.title")}>
              {t("setup.over.words")}
            </Alert>
          ) : (
            <FormProblem form={form} />
          )}
          <AccountFields form={form} />
          <Button type="submit" className={classes.onward ?? ""} loading={form.isBusy}>
            {t("setup.account.do")}
          </Button>
        </Stack>
      </Form>
    </StepCard>
  );
}
