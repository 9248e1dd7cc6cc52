import { Button, Code, List, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../../../api/queries.ts";
import { OutsideCard } from "../outside-card.tsx";
import { setupRoute } from "../routes.tsx";
import { askSession } from "../session.ts";
import { AccountStep } from "./account-step.tsx";
import { FirstRun } from "./first-run.tsx";

/** The first account of an installation, and then all that leads to a first license that was asked about. */
export function SetupPage() {
  const { token } = setupRoute.useSearch();
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const { data: session } = useSuspenseQuery(askSession);
  if (setup.is_open) return token === undefined ? <NeedsLink /> : <AccountStep token={token} />;
  return session === null ? <SetUpAlready /> : <FirstRun />;
}

function NeedsLink() {
  const { t } = useTranslation("identity");
  return (
    <OutsideCard title={t("setup.needsLink.title")} lead={t("setup.needsLink.lead")}>
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
    </OutsideCard>
  );
}

function SetUpAlready() {
  const { t } = useTranslation("identity");
  return (
    <OutsideCard title={t("setup.already.title")} lead={t("setup.already.lead")}>
      <Button component={Link} to="/sign-in" search={{ next: "/setup" } as never} fullWidth>
        {t("signIn.do")}
      </Button>
    </OutsideCard>
  );
}
