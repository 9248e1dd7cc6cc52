import { eventTypes } from "@countersign/domain/events/types";
import { deliveryStates, isFinal } from "@countersign/domain/webhooks/delivery";
import { Button, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { FilterSelect } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type Column, Faint, List, RowAction } from "../../ui/list.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { ListTime } from "../../ui/time.tsx";
import { TimeRange } from "../../ui/time-range.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { ReplayMany, useReplay } from "./replay.tsx";
import { webhookRoute } from "./search.ts";
import { DeliveryStateMark, isRetrying, type Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

type Delivery = Item<"listWebhookDeliveries">;

/** The delivery log, with results and a way to resend. */
export function DeliveriesTab({ webhook, mayManage }: { webhook: Webhook; mayManage: boolean }) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const search = webhookRoute.useSearch();
  const navigate = webhookRoute.useNavigate();
  const { state, type, from, to } = search;
  const [isReplaying, setReplaying] = useState(false);
  const mayReplay = mayManage && webhook.status === "enabled";
  const params = { organization_id: id, endpoint_id: webhook.id };
  const list = useInfiniteQuery({
    ...askPages("listWebhookDeliveries", { params, query: { state, event_type: type, from, to } }),
    // Refetches while deliveries are pending.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages[0]?.data.some((one) => one.state === "pending") ? 5_000 : false,
  });
  const open = (delivery: string | undefined) => void navigate({ search: { ...search, delivery } });
  const narrow = (changes: object) => void navigate({ search: { ...search, ...changes }, replace: true });
  const replay = useReplay(webhook, open);
  const change = useChange("sendWebhookDeliveryNow");
  const sendNow = (delivery: Pick<Delivery, "id">) =>
    change
      .mutateAsync({ params: { ...params, delivery_id: delivery.id } })
      .then(() => notify(t("sendNow.done")), notifyProblem);
  const actions = mayReplay ? { replay: replay.ask, sendNow } : {};
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <FilterSelect
          label={t("log.state")}
          any={t("log.anyState")}
          values={deliveryStates}
          words={(value) => t(`deliveryStates.${value}.name`)}
          value={state}
          onChange={(chosen) => narrow({ state: chosen })}
          w={{ base: "100%", sm: "11rem" }}
          comboboxProps={{ withinPortal: false }}
        />
        <FilterSelect
          label={t("log.event")}
          any={t("log.anyEvent")}
          values={eventTypes}
          words={(value) => t(`types.${value}`)}
          value={type}
          onChange={(chosen) => narrow({ type: chosen })}
          w={{ base: "100%", sm: "19rem" }}
          comboboxProps={{ withinPortal: false }}
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
      <List
        label={t("tabs.deliveries")}
        list={list}
        columns={useColumns({ open, ...actions })}
        isMarked={(delivery) => delivery.id === search.delivery}
        isFiltered={[state, type, from, to].some((value) => value !== undefined)}
        empty={{ icon: "webhook", title: t("log.empty"), words: t("log.emptyWords") }}
        nothing={{
          icon: "filter",
          title: t("log.noMatch"),
          words: t("log.noMatchWords"),
          action: (
            <Button
              variant="default"
              onClick={() => narrow({ state: undefined, type: undefined, from: undefined, to: undefined })}
            >
              {t("log.showAll")}
            </Button>
          ),
        }}
      />
      <DeliveryDrawer
        webhook={webhook}
        deliveryId={search.delivery ?? null}
        onClose={() => open(undefined)}
        {...actions}
      />
      {replay.dialog}
      <ReplayMany
        webhook={webhook}
        opened={isReplaying}
        onClose={() => setReplaying(false)}
        start={{ type: type === "endpoint.test" ? undefined : type, from, to }}
      />
    </Stack>
  );
}

interface ColumnActions {
  readonly open: (deliveryId: string) => void;
  /** Undefined if it is not possible to send. */
  readonly replay?: (delivery: Delivery) => void;
  readonly sendNow?: (delivery: Delivery) => unknown;
}

function useColumns({ open, replay, sendNow }: ColumnActions): readonly Column<Delivery>[] {
  const { t } = useTranslation("webhooks");
  return [
    {
      header: t("log.state"),
      width: 120,
      cell: (delivery) => <DeliveryStateMark delivery={delivery} />,
    },
    {
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
      header: t("log.response"),
      wide: true,
      cell: ({ last_status: status, attempts }) =>
        status ?? <Faint>{attempts === 0 ? "–" : t("log.noResponse")}</Faint>,
    },
    { header: t("log.attempts"), wide: true, count: (delivery) => delivery.attempts },
    { header: t("log.next"), wide: true, at: (delivery) => delivery.next_attempt_at, never: "" },
    { header: t("log.created"), wide: true, at: (delivery) => delivery.created_at },
    {
      header: t("log.actions"),
      isHeaderHidden: true,
      align: "right",
      wide: true,
      cell: (delivery) => {
        if (sendNow !== undefined && isRetrying(delivery))
          return <RowAction label={t("sendNow.do")} icon="play" onClick={() => sendNow(delivery)} />;
        if (replay !== undefined && isFinal(delivery.state))
          return <RowAction label={t("replay.one")} icon="refresh" onClick={() => replay(delivery)} />;
        return null;
      },
    },
  ];
}
