import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { notify } from "../../ui/notify.tsx";
import { DeleteWebhook } from "./delete-webhook.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { DisableWebhook } from "./switch-webhook.tsx";
import { changesOf, draftOf } from "./webhook-draft.ts";
import { WebhookFacts } from "./webhook-facts.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import type { Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

export function SettingsTab({ webhook, mayManage }: { webhook: Webhook; mayManage: boolean }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [isDisabling, setDisabling] = useState(false);
  // The webhook when the form was opened or saved.
  const [basis, setBasis] = useState(webhook);
  const update = useChange("updateWebhook");
  if (!mayManage) return <WebhookFacts webhook={webhook} />;
  return (
    <div className={classes.columns}>
      <Paper withBorder p="lg" radius="lg">
        <WebhookForm
          // A save remounts the form with the saved webhook, which hides header values again.
          key={basis.updated_at}
          start={draftOf(basis)}
          action={t("everywhere:save")}
          error={update.error}
          isBusy={update.isPending}
          onSubmit={(draft) =>
            update.mutate(
              {
                params: { organization_id: id, endpoint_id: webhook.id },
                body: changesOf(draft, basis, webhook),
              },
              {
                onSuccess: (saved) => {
                  setBasis(saved);
                  notify(t("settings.saved"));
                },
              },
            )
          }
        />
      </Paper>
      <Paper withBorder p="lg" radius="lg">
        <RotateSecret webhook={webhook} />
        {webhook.status === "enabled" && (
          <Stack gap="xs" align="flex-start" className={classes.section ?? ""}>
            <Title order={2}>{t("disable.heading")}</Title>
            <Text c="dimmed">{t("disable.words")}</Text>
            <Button variant="default" onClick={() => setDisabling(true)}>
              {t("disable.do")}
            </Button>
            <DisableWebhook webhook={webhook} opened={isDisabling} onClose={() => setDisabling(false)} />
          </Stack>
        )}
        <DeleteWebhook webhook={webhook} />
      </Paper>
    </div>
  );
}
