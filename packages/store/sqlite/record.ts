import {
  crossedMarks,
  maxSingleRegistrations,
  recordingAfter,
  refusalHour,
} from "@countersign/domain/events/thresholds";
import type { EventType } from "@countersign/domain/events/types";
import type { IpAddress } from "@countersign/domain/ip/ip-address";
import { coveringNetwork } from "@countersign/domain/ip/registered";
import {
  ipEventData,
  type ProductInBatch,
  quotaData,
  type Refusal,
  type Refusals,
} from "../batches/batch.ts";
import type { LicenseFactsRow } from "../batches/caller.ts";
import { newId } from "../new-id.ts";
import { distribution } from "../tables/events.ts";
import type { Statements } from "./sql.ts";

interface Registration {
  readonly product: ProductInBatch;
  readonly license: LicenseFactsRow;
  readonly ipAddress: IpAddress;
  /** The IP address as the product counts it. */
  readonly ip: string;
}

/** Registers an IP address, for which the license has room, and records that. */
export function registerIp(
  sql: Statements,
  { product: { row, caller }, license, ipAddress, ip }: Registration,
  nowMs: number,
): void {
  const { organization_id: organizationId, product_id: productId } = row;
  sql.registerIp.run(license.id, ip, coveringNetwork(ipAddress, caller.facts.ipv6Prefix), nowMs);
  sql.raiseIpCount.run(nowMs, license.id);
  const registered = { organizationId, productId, licenseId: license.id, ip };
  if (license.ip_count < maxSingleRegistrations) addIpEvent(sql, "license.ip_registered", registered, nowMs);
  else summarize(sql, { ...registered, type: "license.ip_registered", count: 1 }, nowMs);
}

/** Records which marks of its limit a product crossed when its calls were counted. */
export function recordQuotaEvents(
  sql: Statements,
  { row, limit, granted }: ProductInBatch,
  usedBefore: number,
  nowMs: number,
): void {
  if (limit === null || row.deleted_at !== null) return;
  const { organization_id: organizationId, product_id: productId } = row;
  const used = usedBefore + granted;
  for (const type of crossedMarks(limit, usedBefore, used)) {
    const data = quotaData(row, limit, used, nowMs);
    sql.addEvent.run(newId(), organizationId, productId, null, type, nowMs, data, distribution.waiting);
  }
}

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
function summarize(
  sql: Statements,
  refusals: Omit<Refusal, "type"> & { readonly type: EventType },
  nowMs: number,
): void {
  const { licenseId, type, organizationId, productId, count, ip } = refusals;
  sql.summarize.run(refusalHour(nowMs), licenseId, type, organizationId, productId, count, ip, nowMs);
}

function addIpEvent(
  sql: Statements,
  type: EventType,
  subject: Omit<Refusal, "type" | "count">,
  nowMs: number,
): void {
  const { organizationId, productId, licenseId } = subject;
  const { waitingWithoutLicense } = distribution;
  sql.addEvent.run(
    newId(),
    organizationId,
    productId,
    licenseId,
    type,
    nowMs,
    ipEventData(subject),
    waitingWithoutLicense,
  );
}

function countOf(sql: Statements, hour: number, licenseId: string, type: EventType): number {
  return Number(sql.refusalCount.get(hour, licenseId, type)?.count);
}
