import { eventTypes } from "@countersign/domain/events/types";
import { deliveryStates, isFinal } from "@countersign/domain/webhooks/delivery-state";
import {
  ActionIcon,
  Button,
  Group,
  Select,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, flat, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { TimeRange } from "../../ui/time-range.tsx";
import classes from "./deliveries.module.css";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { ReplayMany, ReplayOne } from "./replay.tsx";
import { webhookRoute } from "./webhook-search.ts";
import { DeliveryStateMark, isRetrying, type Webhook } from "./webhook-state.tsx";

/** The delivery log, with results and a way to resend. */
export function DeliveriesTab({ webhook, mayManage }: { webhook: Webhook; mayManage: boolean }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const search = webhookRoute.useSearch();
  const navigate = webhookRoute.useNavigate();
  const { state, type, from, to, isNarrowed, showAll } = useDeliveryFilter();
  const [again, setAgain] = useState<Delivery | null>(null);
  const [isReplaying, setReplaying] = useState(false);
  const mayReplay = mayManage && webhook.status === "enabled";
  const open = (delivery: string | undefined) => void navigate({ search: { ...search, delivery } });
  const change = useChange("sendWebhookDeliveryNow");
  const sendNow = ({ id: delivery_id }: Pick<Delivery, "id">) => {
    const params = { organization_id: id, endpoint_id: webhook.id, delivery_id };
    change.mutateAsync({ params }).then(() => notify(t("sendNow.done")), notifyProblem);
  };
  const columns = useDeliveryColumns({
    open,
    replay: mayReplay ? setAgain : undefined,
    sendNow: mayReplay ? sendNow : undefined,
  });
  const list = useInfiniteQuery({
    ...askPages("listWebhookDeliveries", {
      params: { organization_id: id, endpoint_id: webhook.id },
      query: { state, event_type: type, from, to },
    }),
    // Refetches while deliveries are pending.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages[0]?.data.some((one) => one.state === "pending") ? 5_000 : false,
  });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <DeliveryFilter />
        {mayReplay && (
          <Button
            variant="default"
            ml="auto"
            leftSection={<Icon name="refresh" size={15} />}
            onClick={() => setReplaying(true)}
          >
            {t("replay.many")}
          </Button>
        )}
      </Group>
      <DataTable
        label={t("tabs.deliveries")}
        columns={columns}
        rows={flat(list.data)}
        keyOf={(delivery) => delivery.id}
        isPending={list.isPending}
        error={list.error}
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
        isMarked={(delivery) => delivery.id === search.delivery}
        empty={isNarrowed ? <NothingFound showAll={showAll} /> : <NothingYet />}
      />
      <DeliveryDrawer
        webhook={webhook}
        deliveryId={search.delivery ?? null}
        onClose={() => open(undefined)}
        onReplay={mayReplay ? setAgain : undefined}
        onSendNow={mayReplay ? sendNow : undefined}
      />
      <ReplayOne webhook={webhook} delivery={again} onClose={() => setAgain(null)} onSent={open} />
      <ReplayMany
        webhook={webhook}
        opened={isReplaying}
        onClose={() => setReplaying(false)}
        start={{ type: type === "endpoint.test" ? undefined : type, from, to }}
      />
    </Stack>
  );
}

function NothingFound({ showAll }: { showAll: () => void }) {
  const { t } = useTranslation("webhooks");
  return (
    <Empty
      icon="filter"
      title={t("log.noMatch")}
      action={
        <Button variant="default" onClick={showAll}>
          {t("log.showAll")}
        </Button>
      }
    >
      {t("log.noMatchWords")}
    </Empty>
  );
}

function NothingYet() {
  const { t } = useTranslation("webhooks");
  return (
    <Empty icon="webhook" title={t("log.empty")}>
      {t("log.emptyWords")}
    </Empty>
  );
}

const everything = { state: undefined, type: undefined, from: undefined, to: undefined };

/** The filter of the log. It is stored in the URL. */
function useDeliveryFilter() {
  const search = webhookRoute.useSearch();
  const navigate = webhookRoute.useNavigate();
  const { state, type, from, to } = search;
  const narrow = (changes: object) => void navigate({ search: { ...search, ...changes }, replace: true });
  return {
    state,
    type,
    from,
    to,
    isNarrowed: [state, type, from, to].some((value) => value !== undefined),
    narrow,
    showAll: () => narrow(everything),
  };
}

function DeliveryFilter() {
  const { t } = useTranslation("webhooks");
  const { state, type, from, to, narrow } = useDeliveryFilter();
  return (
    <>
      <Select
        className={classes.state ?? ""}
        aria-label={t("log.state")}
        placeholder={t("log.anyState")}
        data={deliveryStates.map((value) => ({ value, label: t(`deliveryStates.${value}.name`) }))}
        value={state ?? null}
        onChange={(value) => narrow({ state: value ?? undefined })}
        clearable
        comboboxProps={{ withinPortal: false }}
      />
      <Select
        className={classes.type ?? ""}
        aria-label={t("log.event")}
        placeholder={t("log.anyEvent")}
        data={eventTypes.map((value) => ({ value, label: t(`types.${value}`) }))}
        value={type ?? null}
        onChange={(value) => narrow({ type: value ?? undefined })}
        clearable
        comboboxProps={{ withinPortal: false }}
        searchable
      />
      <TimeRange from={from} to={to} onChange={narrow} />
    </>
  );
}

type Delivery = Item<"listWebhookDeliveries">;

interface DeliveryActions {
  readonly open: (deliveryId: string) => void;
  /** Undefined if resending is not possible. */
  readonly replay?: ((delivery: Delivery) => void) | undefined;
  /** Undefined if sending is not possible. */
  readonly sendNow?: ((delivery: Delivery) => void) | undefined;
}

/** The columns of the delivery log. */
function useDeliveryColumns({ open, replay, sendNow }: DeliveryActions): readonly Column<Delivery>[] {
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
