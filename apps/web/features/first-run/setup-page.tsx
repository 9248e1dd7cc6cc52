import { Code, List, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { GoButton } from "../../ui/go-button.tsx";
import { AuthCard } from "../identity/auth-card.tsx";
import { askSession } from "../identity/session.ts";
import { AccountStep } from "./account-step.tsx";
import { FirstRun } from "./first-run.tsx";

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
