import { type RefusalEvent, refusalHour } from "@countersign/domain/events/refusal";

/** An address that a license turned away, as an event tells of it. */
export interface Refusal {
  readonly type: RefusalEvent;
  readonly organizationId: string;
  readonly productId: string;
  readonly licenseId: string;
  readonly ip: string;
  /** How many calls of the batch were refused so. */
  count: number;
}

/** What makes two refusals the same. */
export function refusalKey(type: string, licenseId: string, ip: string): string {
  return `${type} ${licenseId} ${ip}`;
}

/** The refusals of a batch, by `refusalKey`. */
export type Refusals = ReadonlyMap<string, Refusal>;

/** What is told of an address, small: the license is written into it before it is sent. */
export function addressData(of: Omit<Refusal, "type" | "count">): string {
  return JSON.stringify({
    organization_id: of.organizationId,
    product_id: of.productId,
    license_id: of.licenseId,
    ip: of.ip,
  });
}

const mostKept = 20_000;

/**
 * The refusals of this hour that are known to have an event of their own, so that whoever is refused again and again
 * costs the database nothing more. Only what is committed comes in here; what was forgotten, or another node told, the
 * database knows.
 */
export class RefusalsTold {
  readonly #most: number;
  readonly #keys = new Set<string>();
  #hour = 0;

  constructor(most = mostKept) {
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
    // The oldest go first: a set keeps its order.
    for (const key of this.#keys) {
      if (this.#keys.size <= this.#most) return;
      this.#keys.delete(key);
    }
  }
}
