import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";
import type { Webhook } from "./webhook-state.tsx";

interface SwitchProps {
  readonly webhook: Webhook;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Shows what will be sent immediately. */
export function EnableWebhook({ webhook, waiting, opened, onClose }: SwitchProps & { waiting: number }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const enable = useChange("enableWebhook");
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("enable.title")}
      action={t("enable.do")}
      harmless
      onConfirm={async () => {
        await enable.mutateAsync({ params: { organization_id: id, endpoint_id: webhook.id } });
        notify(t("enable.done"));
      }}
    >
      <Stack gap="xs">
        <Text>{waiting > 0 ? t("enable.words", { count: waiting }) : t("enable.nothingWaiting")}</Text>
        {webhook.disabled_reason === "by_hand" && <Text c="dimmed">{t("enable.notStored")}</Text>}
      </Stack>
    </Confirm>
  );
}

export function DisableWebhook({ webhook, opened, onClose }: SwitchProps) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const disable = useChange("disableWebhook");
  const enable = useChange("enableWebhook");
  const params = { organization_id: id, endpoint_id: webhook.id };
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("disable.title")}
      action={t("disable.do")}
      onConfirm={async () => {
        await disable.mutateAsync({ params });
        notify(t("disable.done"), () => enable.mutateAsync({ params }));
      }}
    >
      {t("disable.words")}
    </Confirm>
  );
}
