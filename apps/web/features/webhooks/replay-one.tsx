import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";
import type { Webhook } from "./webhook-state.tsx";

interface ReplayOneProps {
  readonly webhook: Webhook;
  /** Null while closed. */
  readonly delivery: Pick<Item<"listWebhookDeliveries">, "id" | "event_type" | "webhook_id"> | null;
  readonly onClose: () => void;
  /** Opens the new delivery to show its progress. */
  readonly onSent: (deliveryId: string) => void;
}

export function ReplayOne({ webhook, delivery, onClose, onSent }: ReplayOneProps) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const replay = useChange("replayWebhookDelivery");
  return (
    <Confirm
      opened={delivery !== null}
      onClose={onClose}
      title={t("replay.one")}
      action={t("replay.do")}
      harmless
      onConfirm={async () => {
        if (delivery === null) return;
        const sent = await replay.mutateAsync({
          params: { organization_id: id, endpoint_id: webhook.id, delivery_id: delivery.id },
        });
        notify(t("replay.oneDone"));
        onSent(sent.id);
      }}
    >
      <Stack gap="xs">
        <Text>{t("replay.oneWords", { type: delivery?.event_type ?? "" })}</Text>
        <Text c="dimmed" size="sm">
          {t("replay.sameId")}
        </Text>
      </Stack>
    </Confirm>
  );
}
