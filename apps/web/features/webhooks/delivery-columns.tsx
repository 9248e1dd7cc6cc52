import { isFinal } from "@countersign/domain/webhooks/delivery-state";
import { ActionIcon, Text, Tooltip, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import classes from "./deliveries.module.css";
import { DeliveryStateMark, isRetrying } from "./webhook-state.tsx";

export type Delivery = Item<"listWebhookDeliveries">;

interface DeliveryActions {
  readonly open: (deliveryId: string) => void;
  /** Undefined if resending is not possible. */
  readonly replay?: ((delivery: Delivery) => void) | undefined;
  /** Undefined if sending is not possible. */
  readonly sendNow?: ((delivery: Delivery) => void) | undefined;
}

/** The columns of the delivery log. */
export function useDeliveryColumns({ open, replay, sendNow }: DeliveryActions): readonly Column<Delivery>[] {
  const { t } = useTranslation("webhooks");
  return [
    {
      id: "state",
      header: t("log.state"),
      width: 120,
      cell: (delivery) => <DeliveryStateMark delivery={delivery} />,
    },
    {
      id: "event",
      header: t("log.event"),
      cell: (delivery) => (
        <>
          <UnstyledButton className={classes.open ?? ""} onClick={() => open(delivery.id)}>
            <span className={classes.name}>{t(`types.${delivery.event_type}`)}</span>
            <Text span inherit c="dimmed" className="mono" visibleFrom="sm">
              {delivery.event_type}
            </Text>
          </UnstyledButton>
          <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
            <ListTime at={delivery.created_at} />
          </Text>
        </>
      ),
    },
    {
      id: "response",
      header: t("log.response"),
      wide: true,
      cell: (delivery) =>
        delivery.last_status ?? (
          <Text inherit c="dimmed">
            {delivery.attempts === 0 ? "–" : t("log.noResponse")}
          </Text>
        ),
    },
    { id: "attempts", header: t("log.attempts"), align: "right", wide: true, cell: (one) => one.attempts },
    {
      id: "next",
      header: t("log.next"),
      wide: true,
      cell: ({ next_attempt_at }) => (next_attempt_at === null ? "" : <ListTime at={next_attempt_at} />),
    },
    {
      id: "at",
      header: t("log.created"),
      wide: true,
      cell: (delivery) => <ListTime at={delivery.created_at} />,
    },
    {
      id: "again",
      header: <VisuallyHidden>{t("log.actions")}</VisuallyHidden>,
      align: "right",
      wide: true,
      cell: (delivery) => {
        if (sendNow !== undefined && isRetrying(delivery))
          return <RowAction name={t("sendNow.do")} icon="play" act={() => sendNow(delivery)} />;
        if (replay !== undefined && isFinal(delivery.state))
          return <RowAction name={t("replay.one")} icon="refresh" act={() => replay(delivery)} />;
        return null;
      },
    },
  ];
}

function RowAction({ name, icon, act }: { name: string; icon: IconName; act: () => void }) {
  return (
    <Tooltip label={name}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={name} onClick={act}>
        <Icon name={icon} size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
