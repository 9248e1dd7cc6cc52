import { finalStates } from "@countersign/domain/webhooks/delivery-state";
import { Checkbox, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Item } from "../../api/client.ts";
import { ask, reloadAfter, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";
import { type Range, RangeFields } from "../../ui/time-range.tsx";
import { whileRunning } from "../../ui/unsaved.ts";
import { type ChoosableType, choosable } from "./webhook-draft.ts";
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

interface ReplayManyProps {
  readonly webhook: Webhook;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The current filter of the log. */
  readonly start: Range & { readonly type?: ChoosableType | undefined };
}

const mostCounted = 200;

/** Resends failed events, optionally of a time range or type. It shows their number first. */
export function ReplayMany({ webhook, opened, onClose, start }: ReplayManyProps) {
  const { t } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [range, setRange] = useState<Range>({});
  const [type, setType] = useState<ChoosableType | null>(null);
  const [alsoDelivered, setAlsoDelivered] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: starts with the log's filter at the time of opening.
  useEffect(() => {
    if (!opened) return;
    setRange({ from: start.from, to: start.to });
    setType(start.type ?? null);
    setAlsoDelivered(false);
  }, [opened]);
  const params = { organization_id: id, endpoint_id: webhook.id };
  const matching = useQuery({
    ...ask("listWebhookDeliveries", {
      params,
      query: {
        state: alsoDelivered ? undefined : "failed",
        event_type: type ?? undefined,
        from: range.from,
        to: range.to,
        limit: mostCounted,
      },
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
          event_types: type === null ? null : [type],
          ...(range.from === undefined ? {} : { from: range.from }),
          ...(range.to === undefined ? {} : { to: range.to }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      });
      count += page.replayed;
      cursor = page.next_cursor;
    }
    notify(count === 0 ? t("replay.manyNone") : t("replay.manyDone", { count }));
    await reloadAfter("replayWebhookDeliveries");
  };
  const found = new Set(
    matching.data?.data
      .filter(({ state }) => state === "failed" || (alsoDelivered && state === "delivered"))
      .map(({ event_id }) => event_id),
  ).size;
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("replay.many")}
      action={t("replay.do")}
      harmless
      isIdle={found === 0 && matching.data?.next_cursor === null}
      onConfirm={() => whileRunning(replay)}
    >
      <Stack gap="sm">
        <Text>{t("replay.manyWords")}</Text>
        <Select
          label={t("log.event")}
          placeholder={t("log.anyEvent")}
          data={choosable().map((value) => ({ value, label: t(`types.${value}`) }))}
          value={type}
          onChange={(value) => setType(value as ChoosableType | null)}
          clearable
          searchable
        />
        <RangeFields from={range.from} to={range.to} onChange={setRange} />
        <Checkbox
          label={t("replay.alsoDelivered")}
          description={t("replay.alsoDeliveredWords")}
          checked={alsoDelivered}
          onChange={(event) => setAlsoDelivered(event.currentTarget.checked)}
        />
        <Text fw={600} role="status">
          {matching.data === undefined
            ? " "
            : matching.data.next_cursor === null
              ? t("replay.found", { count: found })
              : t("replay.foundMore", { count: found })}
        </Text>
        <Text c="dimmed" size="sm">
          {t("replay.sameId")}
        </Text>
      </Stack>
    </Confirm>
  );
}
