import { Button, Group, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { askPages, flat, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { type Delivery, useDeliveryColumns } from "./delivery-columns.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { DeliveryFilter, useDeliveryFilter } from "./delivery-filter.tsx";
import { ReplayMany } from "./replay-many.tsx";
import { ReplayOne } from "./replay-one.tsx";
import { webhookRoute } from "./webhook-route.ts";
import type { Webhook } from "./webhook-state.tsx";

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
