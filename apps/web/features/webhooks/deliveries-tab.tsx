import { eventTypes } from "@countersign/domain/events/types";
import { ActionIcon, Button, Group, Select, Stack, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { useOrganization } from "../../app/here.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Time } from "../../ui/time.tsx";
import { TimeRange } from "../../ui/time-range.tsx";
import classes from "./deliveries.module.css";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { ReplayMany } from "./replay-many.tsx";
import { ReplayOne } from "./replay-one.tsx";
import { type DeliveryState, deliveryStates, webhookRoute } from "./routes.tsx";
import { DeliveryStateMark, type Webhook } from "./webhook-state.tsx";

type Delivery = Item<"listWebhookDeliveries">;

/** The log: what was sent, what came of it, and a way to send it again. */
export function DeliveriesTab({ webhook, mayManage }: { webhook: Webhook; mayManage: boolean }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const search = webhookRoute.useSearch();
  const { state, type, from, to, delivery: openId } = search;
  const navigate = webhookRoute.useNavigate();
  const [again, setAgain] = useState<Delivery | null>(null);
  const [isReplaying, setReplaying] = useState(false);
  const mayReplay = mayManage && webhook.status === "enabled";
  const narrow = (changes: object) => void navigate({ search: { ...search, ...changes }, replace: true });
  const open = (delivery: string | undefined) => void navigate({ search: { ...search, delivery } });
  const list = useInfiniteQuery({
    ...askPages("listWebhookDeliveries", {
      params: { organization_id: id, endpoint_id: webhook.id },
      query: { state, event_type: type, from, to },
    }),
    // What is on its way ends soon: whoever looks on sees it.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages[0]?.data.some((one) => one.state === "pending") ? 5_000 : false,
  });
  const isNarrowed = [state, type, from, to].some((value) => value !== undefined);
  const columns: readonly Column<Delivery>[] = [
    {
      id: "state",
      header: t("log.state"),
      width: 120,
      cell: (delivery) => <DeliveryStateMark state={delivery.state} />,
    },
    {
      id: "event",
      header: t("log.event"),
      cell: (delivery) => (
        <UnstyledButton className={classes.open ?? ""} onClick={() => open(delivery.id)}>
          <span className={classes.name}>{t(`types.${delivery.event_type}`)}</span>
          <Text span inherit c="dimmed" className="mono" visibleFrom="sm">
            {delivery.event_type}
          </Text>
        </UnstyledButton>
      ),
    },
    {
      id: "answer",
      header: t("log.answer"),
      wide: true,
      cell: (delivery) =>
        delivery.last_status ?? (
          <Text inherit c="dimmed">
            {delivery.attempts === 0 ? "–" : t("log.noAnswer")}
          </Text>
        ),
    },
    { id: "attempts", header: t("log.attempts"), align: "right", wide: true, cell: (one) => one.attempts },
    {
      id: "next",
      header: t("log.next"),
      wide: true,
      cell: ({ next_attempt_at }) => (next_attempt_at === null ? "" : <Time at={next_attempt_at} />),
    },
    { id: "at", header: t("log.at"), cell: (delivery) => <Time at={delivery.created_at} /> },
    {
      id: "again",
      header: <span className={classes.unseen}>{t("log.actions")}</span>,
      align: "right",
      wide: true,
      cell: (delivery) =>
        mayReplay && (delivery.state === "failed" || delivery.state === "delivered") ? (
          <Tooltip label={t("replay.one")}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t("replay.one")}
              onClick={() => setAgain(delivery)}
            >
              <Icon name="refresh" size={15} />
            </ActionIcon>
          </Tooltip>
        ) : null,
    },
  ];
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Select
          className={classes.state ?? ""}
          aria-label={t("log.state")}
          placeholder={t("log.anyState")}
          data={deliveryStates.map((value) => ({ value, label: t(`deliveryStates.${value}.name`) }))}
          value={state ?? null}
          onChange={(value) => narrow({ state: (value ?? undefined) as DeliveryState | undefined })}
          clearable
        />
        <Select
          className={classes.type ?? ""}
          aria-label={t("log.event")}
          placeholder={t("log.anyEvent")}
          data={eventTypes.map((value) => ({ value, label: t(`types.${value}`) }))}
          value={type ?? null}
          onChange={(value) => narrow({ type: value ?? undefined })}
          clearable
          searchable
        />
        <TimeRange from={from} to={to} onChange={narrow} />
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
        isMarked={(delivery) => delivery.id === openId}
        empty={
          isNarrowed ? (
            <Empty
              icon="filter"
              title={t("log.nothingFound")}
              action={
                <Button
                  variant="default"
                  onClick={() =>
                    narrow({ state: undefined, type: undefined, from: undefined, to: undefined })
                  }
                >
                  {t("log.showAll")}
                </Button>
              }
            >
              {t("log.nothingFoundWords")}
            </Empty>
          ) : (
            <Empty icon="webhook" title={t("log.empty")}>
              {t("log.emptyWords")}
            </Empty>
          )
        }
      />
      <DeliveryDrawer
        webhook={webhook}
        deliveryId={openId ?? null}
        onClose={() => open(undefined)}
        onReplay={mayReplay ? setAgain : undefined}
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
