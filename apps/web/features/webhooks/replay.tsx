import { choosableTypes } from "@countersign/domain/events/types";
import { finalStates } from "@countersign/domain/webhooks/delivery";
import { Checkbox, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Item } from "../../api/client.ts";
import { ask, reloadAfter, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Confirm, useConfirm } from "../../ui/confirm.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { FilterSelect } from "../../ui/filters.tsx";
import { notify } from "../../ui/notify.tsx";
import { type Range, RangeFields } from "../../ui/time-range.tsx";
import { whileRunning } from "../../ui/unsaved.ts";
import type { ChoosableType } from "./webhook-draft.ts";
import type { Webhook } from "./webhook-state.tsx";

/** Asks before a delivery is sent again, and then opens the new one to show its progress. */
export function useReplay(webhook: Webhook, open: (deliveryId: string) => void) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const replay = useChange("replayWebhookDelivery");
  return useConfirm((delivery: Pick<Item<"listWebhookDeliveries">, "id" | "event_type">) => ({
    title: t("replay.one"),
    action: t("replay.do"),
    harmless: true,
    onConfirm: async () => {
      const sent = await replay.mutateAsync({
        params: { organization_id: id, endpoint_id: webhook.id, delivery_id: delivery.id },
      });
      notify(t("replay.oneDone"));
      open(sent.id);
    },
    children: (
      <Stack gap="xs">
        <Text>{t("replay.oneWords", { type: delivery.event_type })}</Text>
        <Dimmed>{t("replay.sameId")}</Dimmed>
      </Stack>
    ),
  }));
}

/** Which events are sent again. */
interface Choice extends Filter {
  readonly alsoDelivered: boolean;
}

interface Filter extends Range {
  readonly type?: ChoosableType | undefined;
}

interface ReplayManyProps {
  readonly webhook: Webhook;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The current filter of the log. */
  readonly start: Filter;
}

const maxCounted = 200;

/** Resends failed events, optionally of a time range or type. It shows their number first. */
export function ReplayMany({ webhook, opened, onClose, start }: ReplayManyProps) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [{ alsoDelivered, ...filter }, setChoice] = useState<Choice>({ alsoDelivered: false });
  const set = (changes: Partial<Choice>) => setChoice((before) => ({ ...before, ...changes }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: starts with the log's filter at the time of opening.
  useEffect(() => {
    if (opened) setChoice({ ...start, alsoDelivered: false });
  }, [opened]);
  const { type, from, to } = filter;
  const params = { organization_id: id, endpoint_id: webhook.id };
  const matching = useQuery({
    ...ask("listWebhookDeliveries", {
      params,
      query: { state: alsoDelivered ? undefined : "failed", event_type: type, from, to, limit: maxCounted },
    }),
    enabled: opened,
  });
  const replay = async () => {
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: { replayed: number; next_cursor: string | null } = await call("replayWebhookDeliveries", {
        params,
        body: {
          states: alsoDelivered ? [...finalStates] : ["failed"],
          event_types: type === undefined ? null : [type],
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      });
      count += page.replayed;
      cursor = page.next_cursor;
    }
    notify(count === 0 ? t("replay.manyNone") : t("replay.manyDone", { count }));
    await reloadAfter("replayWebhookDeliveries");
  };
  const events = new Set(
    matching.data?.data
      .filter(({ state }) => state === "failed" || (alsoDelivered && state === "delivered"))
      .map(({ event_id }) => event_id),
  ).size;
  const isAll = matching.data?.next_cursor === null;
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("replay.many")}
      action={t("replay.do")}
      harmless
      isIdle={events === 0 && isAll}
      onConfirm={() => whileRunning(replay)}
    >
      <Stack gap="sm">
        <Text>{t("replay.manyWords")}</Text>
        <FilterSelect
          label={t("log.event")}
          isLabelShown
          any={t("log.anyEvent")}
          values={choosableTypes}
          words={(value) => t(`types.${value}`)}
          value={type}
          onChange={(chosen) => set({ type: chosen })}
          searchable
        />
        <RangeFields from={from} to={to} onChange={set} />
        <Checkbox
          label={t("replay.alsoDelivered")}
          description={t("replay.alsoDeliveredWords")}
          checked={alsoDelivered}
          onChange={(event) => set({ alsoDelivered: event.currentTarget.checked })}
        />
        <Text fw={600} role="status">
          {matching.data === undefined
            ? " "
            : t(isAll ? "replay.found" : "replay.foundMore", { count: events })}
        </Text>
        <Dimmed>{t("replay.sameId")}</Dimmed>
      </Stack>
    </Confirm>
  );
}
