import { recordingAfter, refusalHour } from "@countersign/domain/events/thresholds";
import type { EventType } from "@countersign/domain/events/types";
import { ipEventData, type Refusal, type Refusals } from "../batches/refusals.ts";
import { newId } from "../new-id.ts";
import { distribution } from "../tables/events.ts";
import type { Statements } from "./sql.ts";

/**
 * Records which rejections get events, inside the batch's transaction. Returns the keys of those that have their own
 * event, now or from before.
 */
export function recordRefusals(sql: Statements, refusals: Refusals, nowMs: number): string[] {
  const hour = refusalHour(nowMs);
  const recorded: string[] = [];
  /** How many IP addresses a license rejected in this hour, as far as this batch had to know. */
  const others = new Map<string, number>();
  const counted = new Map<string, Refusal>();
  for (const [key, refusal] of refusals) {
    const { type, licenseId, ip } = refusal;
    const known = sql.refusalRecorded.get(hour, licenseId, type, ip) as { in_summary: number } | undefined;
    if (known?.in_summary === 0) {
      recorded.push(key);
      continue;
    }
    const scope = `${type} ${licenseId}`;
    if (known === undefined) {
      const before = others.get(scope) ?? countOf(sql, hour, licenseId, type);
      others.set(scope, before + 1);
      const recording = recordingAfter(before);
      if (recording !== "counted, not distinguished")
        sql.recordRefusal.run(hour, licenseId, type, ip, recording === "counted" ? 1 : 0);
      if (recording === "singly") {
        addIpEvent(sql, type, refusal, nowMs);
        recorded.push(key);
        continue;
      }
    }
    counted.set(scope, { ...refusal, count: refusal.count + (counted.get(scope)?.count ?? 0) });
  }
  for (const refusal of counted.values()) summarize(sql, refusal, nowMs);
  return recorded;
}

/** Counts towards the event that summarizes the hour. */
export function summarize(
  sql: Statements,
  of: Omit<Refusal, "type"> & { readonly type: EventType },
  nowMs: number,
): void {
  const { licenseId, type, organizationId, productId, count, ip } = of;
  sql.summarize.run(refusalHour(nowMs), licenseId, type, organizationId, productId, count, ip, nowMs);
}

export function addIpEvent(
  sql: Statements,
  type: EventType,
  of: Omit<Refusal, "type" | "count">,
  nowMs: number,
): void {
  const { organizationId, productId, licenseId } = of;
  const { waitingWithoutLicense } = distribution;
  sql.addEvent.run(
    newId(),
    organizationId,
    productId,
    licenseId,
    type,
    nowMs,
    ipEventData(of),
    waitingWithoutLicense,
  );
}

function countOf(sql: Statements, hour: number, licenseId: string, type: EventType): number {
  return Number(sql.refusalCount.get(hour, licenseId, type)?.count);
}
