import { Button, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { useOrganizations } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { AreaField } from "../../ui/fields.tsx";
import { GoButton } from "../../ui/links.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";

/** Lets a platform admin look at an organization without being a member, or stop. */
export function ImpersonationPanel({ organization }: { organization: Answer<"getPlatformOrganization"> }) {
  const { t } = useTranslation("admin");
  const navigate = useNavigate();
  const ownOrganization = useOrganizations().find(({ id }) => id === organization.id);
  const params = { organization_id: organization.id };
  const start = useChange("startImpersonation");
  const end = useChange("endImpersonation");
  const [reason, setReason] = useState("");
  const home = paths.overview(organization.slug);
  const question = useConfirm(() => ({
    title: t("impersonation.confirm", { name: organization.name }),
    children: (
      <Stack>
        <Text>{t("impersonation.words")}</Text>
        <AreaField
          label={t("suspension.reason")}
          description={t("impersonation.reasonWords")}
          required
          data-autofocus
          maxLength={1_000}
          value={reason}
          onChange={setReason}
        />
      </Stack>
    ),
    action: t("impersonation.start"),
    harmless: true,
    draft: reason,
    isIdle: reason.trim() === "",
    onConfirm: async () => {
      await start.mutateAsync({ params, body: { reason } });
      // The input is saved, so leaving the page discards nothing.
      setReason("");
      void navigate(home);
    },
  }));
  const open = (
    <GoButton variant="default" to={home}>
      {t("impersonation.open")}
    </GoButton>
  );
  const isMember = ownOrganization !== undefined && ownOrganization.impersonated_until === null;
  if (isMember)
    return <Panel title={t("impersonation.title")} lead={t("impersonation.member")} actions={open} />;
  if (organization.impersonated_until !== null)
    return (
      <Panel
        title={t("impersonation.title")}
        lead={
          <>
            {t("impersonation.until")} <Time at={organization.impersonated_until} />
          </>
        }
        actions={
          <>
            {open}
            <Button
              variant="default"
              loading={end.isPending}
              onClick={() =>
                end.mutate(
                  { params },
                  { onSuccess: () => notify(t("impersonation.stopped")), onError: notifyProblem },
                )
              }
            >
              {t("impersonation.stop")}
            </Button>
          </>
        }
      />
    );
  return (
    <Panel
      title={t("impersonation.title")}
      lead={t("impersonation.lead")}
      actions={
        <Button variant="default" onClick={() => question.ask()}>
          {t("impersonation.do")}
        </Button>
      }
    >
      {question.dialog}
    </Panel>
  );
}
