import type { ClaimedDelivery, SentEvent } from "@countersign/store/queries/webhooks/claim-deliveries";
import type { DeliveryRecipient } from "./request.ts";

/** Claimed, and waiting to be sent. */
export interface Ready {
  readonly delivery: ClaimedDelivery;
  readonly endpoint: DeliveryRecipient;
  readonly event: SentEvent | undefined;
  /** When it was claimed, by the database's clock and by this process's. */
  readonly claimedAtMs: number;
  readonly claimedHereMs: number;
}

/** The deliveries that are ready to be sent, per endpoint, in the order in which they were claimed. */
export class ReadyQueue {
  readonly #queues = new Map<string, Ready[]>();
  readonly #perOrganization = new Map<string, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  lengthOf(endpointId: string): number {
    return this.#queues.get(endpointId)?.length ?? 0;
  }

  ofOrganization(organizationId: string): number {
    return this.#perOrganization.get(organizationId) ?? 0;
  }

  endpointIds(): string[] {
    return [...this.#queues.keys()];
  }

  add(ready: Ready): void {
    const queue = this.#queues.get(ready.endpoint.id);
    if (queue === undefined) this.#queues.set(ready.endpoint.id, [ready]);
    else queue.push(ready);
    this.#count(ready, 1);
  }

  first(endpointId: string): Ready | undefined {
    return this.#queues.get(endpointId)?.[0];
  }

  takeFirst(endpointId: string): void {
    const queue = this.#queues.get(endpointId);
    const first = queue?.shift();
    if (queue === undefined || first === undefined) return;
    this.#count(first, -1);
    if (queue.length === 0) this.#queues.delete(endpointId);
  }

  /** Removes all matching deliveries of an endpoint; returns their IDs. */
  takeWhere(endpointId: string, fits: (ready: Ready) => boolean): string[] {
    const queue = this.#queues.get(endpointId) ?? [];
    const [taken, left] = [queue.filter(fits), queue.filter((ready) => !fits(ready))];
    if (left.length === 0) this.#queues.delete(endpointId);
    else this.#queues.set(endpointId, left);
    for (const ready of taken) this.#count(ready, -1);
    return taken.map((ready) => ready.delivery.id);
  }

  #count({ endpoint }: Ready, change: 1 | -1): void {
    this.#size += change;
    const count = this.ofOrganization(endpoint.organization_id) + change;
    if (count === 0) this.#perOrganization.delete(endpoint.organization_id);
    else this.#perOrganization.set(endpoint.organization_id, count);
  }
}

/** A delivery that was claimed longer ago is not started: too little of its lease is left. */
const latestStartMs = 5_000;

export function isLate({ claimedHereMs }: Ready): boolean {
  return performance.now() - claimedHereMs > latestStartMs;
}
