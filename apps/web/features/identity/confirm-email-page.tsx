import { Button, Group, Stack } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";

const confirmEmailRoute = getRouteApi("/signed-in/account/email");

/** The target of the link in the email to a new address. It works only for the user who requested the change. */
export function ConfirmEmailPage() {
  const { t } = useTranslation("identity");
  const me = useMe();
  const { token } = confirmEmailRoute.useSearch();
  const confirm = useChange("confirmMyEmail");
  const toAccount = (
    <Button component={Link} to="/account" variant="default">
      {t("confirmEmail.account")}
    </Button>
  );
  if (confirm.isSuccess) {
    const { email } = confirm.data;
    return (
      <Page narrow title={t("confirmEmail.doneTitle")} lead={t("confirmEmail.done", { email })}>
        {toAccount}
      </Page>
    );
  }
  if (token === undefined) {
    return (
      <Page narrow title={t("confirmEmail.title")} lead={t("confirmEmail.noToken")}>
        {toAccount}
      </Page>
    );
  }
  return (
    <Page narrow title={t("confirmEmail.title")} lead={t("confirmEmail.lead", { email: me.email })}>
      <Stack>
        <ProblemAlert error={confirm.error} />
        <Group gap="xs">
          <Button loading={confirm.isPending} onClick={() => confirm.mutate({ body: { token } })}>
            {t("confirmEmail.do")}
          </Button>
          {toAccount}
        </Group>
      </Stack>
    </Page>
  );
}
