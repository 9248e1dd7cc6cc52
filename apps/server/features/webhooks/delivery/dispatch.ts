import { fairShares } from "@countersign/domain/webhooks/fair-shares";
import { newId } from "@countersign/store/new-id";
import {
  claimDeliveries,
  dueDeliveries,
  dueEndpoints,
  endpointsByIds,
  eventsByIds,
  type SendingEndpoint,
  signingSecrets,
} from "@countersign/store/queries/webhooks/claim-deliveries";
import type { DeliveryResult } from "@countersign/store/queries/webhooks/deliveries";
import { emptyEndpoint } from "@countersign/store/queries/webhooks/prune";
import { DeliveryConcurrency, type Outcome } from "./concurrency.ts";
import { isLate, type Ready, ReadyQueue } from "./ready-queue.ts";
import { sendEvent } from "./request.ts";
import { type RecordingParts, recordResults, releaseClaims, resultOf, succeeded } from "./results.ts";
import { leaseMs, type Sender } from "./send.ts";

const claimsAtOnce = 512;
/** The maximum number of events in memory, each of a few kilobytes. */
const maxReady = 1_024;
/** One organization whose endpoints stop responding must not keep others from getting claims. */
const maxReadyOfOne = 512;
/** How many results are written in one transaction: on SQLite others wait for it. */
const resultsAtOnce = 512;
/** While this many results could not be recorded, nothing more is started. */
const maxUnwritten = 2_000;
const shutdownMs = 3_000;
/** An error response that took longer than this is no better than none. */
const slowMs = 1_000;

export interface DispatcherParts extends Omit<RecordingParts, "claimant"> {
  readonly send: Sender;
  /** Called when there is something to record. */
  readonly wake: () => void;
}

/**
 * Sends due deliveries. Every node has one; a node claims a delivery before it sends it, and others take over when the
 * claim expires. If a node dies after the receiver accepted an event and before recording that, the event arrives
 * twice, with the same `webhook-id`. More is claimed than is sent at once, so that a fast endpoint never waits for the
 * database.
 */
export class Dispatcher {
  readonly claimant = newId();
  readonly #parts: DispatcherParts;
  readonly #concurrency = new DeliveryConcurrency();
  readonly #ready = new ReadyQueue();
  /** Claimed: ready, being sent, or not yet recorded. */
  readonly #claimed = new Set<string>();
  readonly #inProgress = new Set<Promise<void>>();
  readonly #broken = new AbortController();
  #isClosed = false;
  #unwritten: DeliveryResult[] = [];
  #unsent: string[] = [];
  /** Where the last round ended, so that the same endpoints do not always come first. */
  #lastServed = "";

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Records results, and starts due deliveries as capacity allows. Returns how many rows it wrote. */
  async round(): Promise<number> {
    this.#concurrency.detectStalled(performance.now());
    this.#releaseLate();
    const written = await this.#write(resultsAtOnce);
    if (this.#unwritten.length >= maxUnwritten) return written;
    const { store } = this.#parts;
    const nowMs = await store.clock();
    const due = await dueEndpoints(store.reads, nowMs);
    if (due.length === 0) return written;
    const endpoints = new Map<string, SendingEndpoint>();
    for (let start = 0; start < due.length; start += 500)
      for (const endpoint of await endpointsByIds(store.reads, due.slice(start, start + 500)))
        endpoints.set(endpoint.id, endpoint);
    const gone = due.find((id) => !endpoints.has(id));
    if (gone !== undefined) await store.transaction((db) => emptyEndpoint(db, gone, 500), "soon");
    const requests = this.#requests(due, endpoints);
    const ids = await dueDeliveries(store.reads, requests, nowMs);
    const free = ids.filter((id) => !this.#claimed.has(id));
    return written + (free.length === 0 ? 0 : await this.#claim(free, endpoints, nowMs));
  }

  /** Starts nothing more, gives what is in progress a moment, aborts the rest and releases it to others. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const id of this.#ready.endpointIds()) this.#unsent.push(...this.#ready.takeWhere(id, () => true));
    const timer = setTimeout(() => this.#broken.abort(), shutdownMs);
    await Promise.all(this.#inProgress);
    clearTimeout(timer);
    while (this.#unwritten.length > 0 || this.#unsent.length > 0) {
      const before = this.#unwritten.length + this.#unsent.length;
      await this.#write(resultsAtOnce);
      // What cannot be recorded is left until its claim expires.
      if (this.#unwritten.length + this.#unsent.length >= before) return;
    }
  }

  /** What each endpoint gets in this round, continuing after the one that was served last. */
  #requests(due: readonly string[], endpoints: ReadonlyMap<string, SendingEndpoint>) {
    const next = due.findIndex((id) => id > this.#lastServed);
    const inOrder = next <= 0 ? due : [...due.slice(next), ...due.slice(0, next)];
    const requests = inOrder.flatMap((id) => {
      const endpoint = endpoints.get(id);
      if (endpoint === undefined || endpoint.status !== "enabled") return [];
      const atMost =
        this.#concurrency.room(endpoint) + this.#concurrency.ahead(id) - this.#ready.lengthOf(id);
      return [{ endpointId: id, organizationId: endpoint.organization_id, atMost }];
    });
    const total = Math.min(claimsAtOnce, maxReady - this.#ready.size);
    const maxOf = (id: string) => maxReadyOfOne - this.#ready.ofOrganization(id);
    const shares = fairShares(requests, total, maxOf);
    const wanted = inOrder.flatMap((endpointId) => {
      const atMost = shares.get(endpointId);
      return atMost === undefined ? [] : [{ endpointId, atMost }];
    });
    this.#lastServed = wanted.at(-1)?.endpointId ?? this.#lastServed;
    return wanted;
  }

  async #claim(
    ids: readonly string[],
    endpoints: ReadonlyMap<string, SendingEndpoint>,
    nowMs: number,
  ): Promise<number> {
    const { store } = this.#parts;
    const { bulk } = store;
    const claimedHereMs = performance.now();
    const claimed = await store.transaction(
      (db) => claimDeliveries(db, bulk, ids, { claimant: this.claimant, nowMs, untilMs: nowMs + leaseMs }),
      "soon",
    );
    if (claimed.length === 0) return 0;
    for (const { id } of claimed) this.#claimed.add(id);
    try {
      const eventIds = [...new Set(claimed.map((row) => row.event_id))];
      const events = await eventsByIds(store.reads, bulk, eventIds);
      const endpointIds = [...new Set(claimed.map((row) => row.endpoint_id))];
      const secrets = await signingSecrets(store.reads, endpointIds, nowMs);
      const recipients = new Map(
        endpointIds.flatMap((id) => {
          const endpoint = endpoints.get(id);
          return endpoint === undefined ? [] : [[id, { ...endpoint, sealedSecrets: secrets.get(id) ?? [] }]];
        }),
      );
      for (const delivery of claimed.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const endpoint = recipients.get(delivery.endpoint_id);
        const event = events.get(delivery.event_id);
        if (endpoint === undefined || this.#isClosed) this.#unsent.push(delivery.id);
        else this.#ready.add({ delivery, endpoint, event, claimedAtMs: nowMs, claimedHereMs });
      }
    } catch (error) {
      this.#unsent.push(...claimed.map((row) => row.id));
      throw error;
    }
    for (const endpointId of this.#ready.endpointIds()) this.#beginReady(endpointId);
    return claimed.length;
  }

  /** Starts ready deliveries of an endpoint, as capacity allows. */
  #beginReady(endpointId: string): void {
    for (;;) {
      const ready = this.#ready.first(endpointId);
      if (ready === undefined || this.#isClosed || this.#concurrency.room(ready.endpoint) === 0) return;
      this.#ready.takeFirst(endpointId);
      if (isLate(ready)) {
        this.#unsent.push(ready.delivery.id);
        continue;
      }
      this.#concurrency.begin(ready.endpoint, performance.now());
      const attempt = this.#attempt(ready).finally(() => this.#inProgress.delete(attempt));
      this.#inProgress.add(attempt);
    }
  }

  async #attempt({ delivery, endpoint, event, claimedAtMs, claimedHereMs }: Ready): Promise<void> {
    const { store, send, random, wake } = this.#parts;
    const startedMs = performance.now();
    const atMs = claimedAtMs + Math.round(startedMs - claimedHereMs);
    let outcome: Outcome = "silence";
    try {
      const sent = await sendEvent(event, endpoint, store.sealer, atMs, (request) =>
        send(request, this.#broken.signal),
      );
      if (succeeded(sent.answer)) outcome = "success";
      else if (sent.answer.status !== null && sent.durationMs < slowMs) outcome = "refused";
      this.#unwritten.push(resultOf({ delivery, atMs, ...sent }, random()));
    } catch {
      // Aborted because the server is stopping: the outcome is unknown.
      this.#unsent.push(delivery.id);
    } finally {
      const endedMs = performance.now();
      this.#concurrency.end(endpoint.id, outcome, endedMs, endedMs - startedMs);
      this.#beginReady(endpoint.id);
      wake();
    }
  }

  /** Deliveries that waited too long for capacity, or wait for an endpoint that stopped responding, are released. */
  #releaseLate(): void {
    for (const endpointId of this.#ready.endpointIds()) {
      this.#beginReady(endpointId);
      const isSilent = this.#concurrency.isTroubled(endpointId);
      this.#unsent.push(...this.#ready.takeWhere(endpointId, (ready) => isSilent || isLate(ready)));
    }
  }

  /**
   * A delivery stays claimed until its result is recorded; otherwise it would be sent again. Returns how many it wrote.
   */
  async #write(atMost: number): Promise<number> {
    const results = this.#unwritten.slice(0, atMost);
    const parts = { ...this.#parts, claimant: this.claimant };
    if (results.length > 0) {
      const done = new Set(await recordResults(parts, results));
      this.#unwritten = this.#unwritten.filter((result) => !done.has(result));
      for (const result of done) this.#claimed.delete(result.attempt.delivery_id);
    }
    const unsent = this.#unsent.slice(0, claimsAtOnce);
    if (unsent.length === 0) return results.length;
    await releaseClaims(parts, unsent);
    this.#unsent = this.#unsent.slice(unsent.length);
    for (const id of unsent) this.#claimed.delete(id);
    return results.length + unsent.length;
  }
}
