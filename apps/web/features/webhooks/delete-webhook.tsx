import { Button, Stack, Text, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";
import { nameOf, type Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

export function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const organization = useOrganization();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange("deleteWebhook");
  return (
    <Stack gap="xs" align="flex-start" className={classes.section ?? ""}>
      <Title order={2}>{t("delete.heading")}</Title>
      <Text c="dimmed">{t("delete.words")}</Text>
      <Button variant="default" className={classes.destroy ?? ""} onClick={() => setAsking(true)}>
        {t("delete.do")}
      </Button>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t("delete.title")}
        action={t("delete.do")}
        typed={nameOf(webhook)}
        onConfirm={async () => {
          await remove.mutateAsync({
            params: { organization_id: organization.id, endpoint_id: webhook.id },
          });
          notify(t("delete.done"));
          await navigate(paths.webhooks(organization.slug));
        }}
      >
        {t("delete.words")}
      </Confirm>
    </Stack>
  );
}
