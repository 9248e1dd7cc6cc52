import { type RefusalEvent, refusalHour } from "@countersign/domain/events/thresholds";

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
export function ipEventData(of: Omit<Refusal, "type" | "count">): string {
  return JSON.stringify({
    organization_id: of.organizationId,
    product_id: of.productId,
    license_id: of.licenseId,
    ip: of.ip,
  });
}

const maxRecorded = 20_000;

/**
 * The rejections of this hour that are known to have their own event, so that repeated rejections cost the database
 * nothing more. Only committed ones are added; the database knows what was evicted here or recorded by another node.
 */
export class RecordedRefusals {
  readonly #most: number;
  readonly #keys = new Set<string>();
  #hour = 0;

  constructor(most = maxRecorded) {
    this.#most = most;
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
      if (this.#keys.size <= this.#most) return;
      this.#keys.delete(key);
    }
  }
}
