import { hourMs } from "@countersign/domain/dates/lengths";
import { isFinal } from "@countersign/domain/webhooks/delivery-state";
import type { Item } from "../../api/client.ts";

type Delivery = Pick<Item<"listWebhookDeliveries">, "created_at" | "state">;

export const outcomes = ["delivered", "waiting", "failed"] as const;
export type Outcome = (typeof outcomes)[number];

export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly total: number;
}

const mostBars = 28;

/**
 * Deliveries by creation time. If not all were loaded, the chart starts at the oldest loaded one: empty bars before it
 * would look like no deliveries.
 */
export function barsOf(
  deliveries: readonly Delivery[],
  isCut: boolean,
  nowMs: number,
): { readonly fromMs: number; readonly bars: readonly Bar[] } {
  const times = deliveries.map(({ created_at }) => Date.parse(created_at));
  const oldestMs = times.length === 0 ? nowMs : Math.min(...times);
  const fromMs = isCut ? oldestMs : nowMs - (nowMs - oldestMs <= 24 * hourMs ? 24 * hourMs : 168 * hourMs);
  const lengthMs = Math.max(1, (nowMs - fromMs) / mostBars);
  const bars = Array.from({ length: mostBars }, (_, index) => ({
    fromMs: fromMs + index * lengthMs,
    toMs: fromMs + (index + 1) * lengthMs,
    counts: { delivered: 0, waiting: 0, failed: 0 },
    total: 0,
  }));
  for (const [index, { state }] of deliveries.entries()) {
    const at = Math.floor(((times[index] ?? nowMs) - fromMs) / lengthMs);
    const bar = bars[Math.min(mostBars - 1, Math.max(0, at))];
    if (bar === undefined) continue;
    bar.counts[outcomeOf(state)] += 1;
    bar.total += 1;
  }
  return { fromMs, bars };
}

function outcomeOf(state: Delivery["state"]): Outcome {
  return isFinal(state) ? state : "waiting";
}
