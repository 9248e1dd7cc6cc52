import type { DeliveryState } from "@countersign/domain/webhooks/delivery";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { StateMark } from "../../ui/state-mark.tsx";

export type Webhook = Item<"listWebhooks">;

export function stateOf(webhook: Webhook): "enabled" | "retrying" | "by_hand" | "gone" | "failing" {
  if (webhook.status === "disabled") return webhook.disabled_reason ?? "by_hand";
  return webhook.failing_since === null ? "enabled" : "retrying";
}

const tones = { enabled: "good", retrying: "warn", by_hand: "off", gone: "bad", failing: "bad" } as const;

/** Whether it receives events, and if not, why. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const state = stateOf(webhook);
  return (
    <StateMark tone={tones[state]} words={t(`states.${state}.words`)}>
      {t(`states.${state}.name`)}
    </StateMark>
  );
}

interface Delivery {
  readonly state: DeliveryState;
  readonly attempts: number;
}

/** Whether the last attempt failed and another will follow. */
export function isRetrying({ state, attempts }: Delivery): boolean {
  return state === "pending" && attempts > 0;
}

const deliveryTones = {
  queued: "wait",
  retrying: "warn",
  delivered: "good",
  failed: "bad",
  held: "warn",
} as const;

/** A pending delivery is queued before its first attempt, and retrying after one. */
export function DeliveryStateMark({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation("webhooks");
  const { state } = delivery;
  const shown = isRetrying(delivery) ? "retrying" : state === "pending" ? "queued" : state;
  return (
    <StateMark tone={deliveryTones[shown]} words={t(`deliveryStates.${shown}.words`)}>
      {t(`deliveryStates.${shown}.name`)}
    </StateMark>
  );
}

/** The description, or else the host name. */
export function nameOf(webhook: Pick<Webhook, "description" | "url">): string {
  if (webhook.description !== "") return webhook.description;
  return URL.canParse(webhook.url) ? new URL(webhook.url).host : webhook.url;
}

/** Rounded down: 100% means that no attempt failed. */
export function percentage(rate: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: "percent",
    maximumFractionDigits: 1,
    roundingMode: "floor",
  } as Intl.NumberFormatOptions).format(rate);
}
