import { dayMs } from "@countersign/domain/dates/lengths";
import {
  type RefusalEvent,
  refusalEvent,
  refusalHour,
  warningAt,
} from "@countersign/domain/events/thresholds";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { quotaDay } from "@countersign/domain/quota/day";
import { productRefusal } from "@countersign/domain/validate/decide";
import type { Outcome } from "@countersign/domain/validate/status";
import { type CallerRow, limitOf } from "./caller.ts";
import type { CallerProduct } from "./calls.ts";

/** What the calls of one batch share: the time at which they are decided, and their products. */
export class Batch {
  readonly products = new Map<string, ProductInBatch>();
  readonly nowMs: number;
  readonly platformBlocks: CidrSet;
  readonly #recorded: RecordedRefusals;
  #refusals: Map<string, Refusal> | null = null;

  constructor(nowMs: number, platformBlocks: CidrSet, recorded: RecordedRefusals) {
    this.nowMs = nowMs;
    this.platformBlocks = platformBlocks;
    this.#recorded = recorded;
  }

  /** The rejections that may get an event; null for a batch that has none. */
  get refusals(): Refusals | null {
    return this.#refusals;
  }

  noteRefusal(status: Outcome, licenseId: string, ip: string, { row }: ProductInBatch): void {
    const type = refusalEvent(status);
    if (type === null) return;
    const key = refusalKey(type, licenseId, ip);
    if (this.#recorded.has(this.nowMs, key)) return;
    this.#refusals ??= new Map();
    const noted = this.#refusals.get(key);
    if (noted !== undefined) {
      noted.count += 1;
      return;
    }
    const { organization_id: organizationId, product_id: productId } = row;
    this.#refusals.set(key, { type, organizationId, productId, licenseId, ip, count: 1 });
  }
}

/** A product in this batch: what its calls share, and how much quota it has. */
export class ProductInBatch {
  readonly row: CallerRow;
  readonly caller: CallerProduct;
  /** The organization's block list. */
  readonly blocks: CidrSet;
  readonly limit: number | null;
  /** Below this count there is no quota event. */
  readonly warningAt: number;
  /** Whether the product or its organization rejects every call, so that no license is looked up. */
  readonly refused: boolean;
  /** Whether the product needs more of a license than the columns every validation uses. */
  readonly needsDetails: boolean;
  /** How many calls of the batch need to be counted. */
  uncounted = 0;
  /** By how many of them the counter was incremented. */
  granted = 0;
  /** Today's count, as seen by the calls answered so far. */
  used = 0;
  #left = 0;

  constructor(row: CallerRow, caller: CallerProduct, blocks: CidrSet) {
    this.row = row;
    this.caller = caller;
    this.blocks = blocks;
    this.limit = limitOf(row);
    this.warningAt = warningAt(this.limit);
    this.needsDetails = caller.facts.versions !== null || caller.facts.custom !== null;
    this.refused = productRefusal(caller.facts) !== null;
  }

  counted(usedBefore: number, granted: number): void {
    this.used = usedBefore;
    this.granted = granted;
    this.#left = granted;
  }

  /** Admits the next call if the batch was granted that many. */
  admit(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    this.used += 1;
    return true;
  }
}

/** An IP address that a license rejected, as an event reports it. */
export interface Refusal {
  readonly type: RefusalEvent;
  readonly organizationId: string;
  readonly productId: string;
  readonly licenseId: string;
  readonly ip: string;
  /** How many calls of the batch were rejected this way. */
  count: number;
}

/** Equal for two identical rejections. */
export function refusalKey(type: string, licenseId: string, ip: string): string {
  return `${type} ${licenseId} ${ip}`;
}

/** The rejections of a batch, by `refusalKey`. */
export type Refusals = ReadonlyMap<string, Refusal>;

/** The event data, kept small: the license is added before it is sent. */
export function ipEventData(subject: Omit<Refusal, "type" | "count">): string {
  return JSON.stringify({
    organization_id: subject.organizationId,
    product_id: subject.productId,
    license_id: subject.licenseId,
    ip: subject.ip,
  });
}

const maxRecorded = 20_000;

/**
 * The rejections of this hour that are known to have their own event, so that repeated rejections cost the database
 * nothing more. Only committed ones are added; the database knows what was evicted here or recorded by another node.
 */
export class RecordedRefusals {
  readonly #capacity: number;
  readonly #keys = new Set<string>();
  #hour = 0;

  constructor(capacity = maxRecorded) {
    this.#capacity = capacity;
  }

  has(nowMs: number, key: string): boolean {
    return this.#hour === refusalHour(nowMs) && this.#keys.has(key);
  }

  add(nowMs: number, keys: Iterable<string>): void {
    const hour = refusalHour(nowMs);
    if (hour < this.#hour) return;
    if (hour > this.#hour) this.#keys.clear();
    this.#hour = hour;
    for (const key of keys) this.#keys.add(key);
    // The oldest are removed first: a set keeps its insertion order.
    for (const key of this.#keys) {
      if (this.#keys.size <= this.#capacity) return;
      this.#keys.delete(key);
    }
  }
}

/** The data of a quota event. PostgreSQL writes the same in the statement that counts. */
export function quotaData(product: QuotaProduct, limit: number, used: number, nowMs: number): string {
  return JSON.stringify(quotaFacts(product, limit, used, nowMs));
}

export function quotaFacts(
  { organization_id, product_id }: QuotaProduct,
  limit: number,
  used: number,
  nowMs: number,
) {
  const resetsAt = new Date((quotaDay(nowMs) + 1) * dayMs).toISOString();
  return { organization_id, product_id, limit, used, resets_at: resetsAt };
}

interface QuotaProduct {
  readonly organization_id: string;
  readonly product_id: string;
}
