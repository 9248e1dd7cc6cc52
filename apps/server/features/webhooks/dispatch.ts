import {
  type ClaimedDelivery,
  claimDeliveries,
  dueDeliveries,
  dueEndpoints,
  endpointsByIds,
  eventsByIds,
  releaseDeliveries,
  type SendingEndpoint,
  type SentEvent,
  signingSecrets,
} from "@countersign/store/queries/claim-deliveries";
import type { DeliveryResult } from "@countersign/store/queries/delivery-results";
import { emptyEndpoint } from "@countersign/store/queries/empty-endpoint";
import { newId } from "../../new-id.ts";
import { type Addressee, sendEvent } from "./envelope.ts";
import { type Ending, Lanes } from "./lanes.ts";
import { resultOf, succeeded } from "./outcome.ts";
import { leaseMs, type Sender } from "./send.ts";
import { type SettlingParts, settle } from "./settle.ts";

/** A claim that took so long to come back is not used: too little of it is left. */
const latestStartMs = 5_000;
const claimsAtOnce = 200;
/** While so much could not be written down, nothing more is begun. */
const mostUnwritten = 1_000;
const farewellMs = 3_000;
/** A refusal that took longer than this is no better than silence. */
const slowMs = 1_000;

export interface DispatcherParts extends Omit<SettlingParts, "claimant"> {
  readonly send: Sender;
  /** Called when there is something to write down. */
  readonly wake: () => void;
}

/**
 * Sends what is due. Every node has one; a delivery is claimed by one of them before it is sent, and taken over when
 * the claim runs out. A node that dies between the receiver's yes and writing it down makes an event arrive twice, with
 * the same `webhook-id`.
 */
export class Dispatcher {
  readonly claimant = newId();
  readonly #parts: DispatcherParts;
  readonly #lanes = new Lanes();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #broken = new AbortController();
  #unwritten: DeliveryResult[] = [];
  #unsent: string[] = [];
  /** Where the last round ended, so that the same endpoints do not always come first. */
  #lastServed = "";

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Writes down what ended, and begins what is due and has room. */
  async round(): Promise<void> {
    await this.#write();
    if (this.#unwritten.length >= mostUnwritten) return;
    const { store } = this.#parts;
    const nowMs = await store.clock();
    const due = await dueEndpoints(store.reads, nowMs);
    if (due.length === 0) return;
    const endpoints = new Map<string, SendingEndpoint>();
    for (let start = 0; start < due.length; start += 500)
      for (const endpoint of await endpointsByIds(store.reads, due.slice(start, start + 500)))
        endpoints.set(endpoint.id, endpoint);
    const gone = due.find((id) => !endpoints.has(id));
    if (gone !== undefined) await store.transaction((db) => emptyEndpoint(db, gone, 500), "soon");
    const wanted = this.#wanted(due, endpoints);
    const ids = await dueDeliveries(store.reads, wanted, nowMs);
    const free = ids.filter((id) => !this.#underWay.has(id));
    if (free.length > 0) await this.#claim(free, endpoints, nowMs);
  }

  /** Begins nothing more, gives what is under way a moment, breaks the rest off and lets others have it. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#broken.abort(), farewellMs);
    await Promise.all(this.#underWay.values());
    clearTimeout(timer);
    await this.#write();
  }

  /** What each endpoint has room for, going on after the one that was served last. */
  #wanted(due: readonly string[], endpoints: ReadonlyMap<string, SendingEndpoint>) {
    const next = due.findIndex((id) => id > this.#lastServed);
    const inTurn = next <= 0 ? due : [...due.slice(next), ...due.slice(0, next)];
    const wanted: { endpointId: string; atMost: number }[] = [];
    let left = claimsAtOnce;
    for (const id of inTurn) {
      const endpoint = endpoints.get(id);
      if (endpoint === undefined || endpoint.status !== "enabled") continue;
      const atMost = Math.min(left, this.#lanes.room(id, endpoint.failing_since !== null));
      if (atMost === 0) continue;
      wanted.push({ endpointId: id, atMost });
      left -= atMost;
      this.#lastServed = id;
      if (left === 0) break;
    }
    return wanted;
  }

  async #claim(
    ids: readonly string[],
    endpoints: ReadonlyMap<string, SendingEndpoint>,
    nowMs: number,
  ): Promise<void> {
    const { store } = this.#parts;
    const startedMs = performance.now();
    const claimed = await store.transaction(
      (db) => claimDeliveries(db, ids, this.claimant, nowMs, nowMs + leaseMs),
      "soon",
    );
    if (claimed.length === 0) return;
    try {
      const events = await eventsByIds(store.reads, [...new Set(claimed.map((row) => row.event_id))]);
      const of = [...new Set(claimed.map((row) => row.endpoint_id))];
      const secrets = await signingSecrets(store.reads, of, nowMs);
      const isLate = performance.now() - startedMs > latestStartMs;
      for (const delivery of claimed) {
        const endpoint = endpoints.get(delivery.endpoint_id);
        const event = events.get(delivery.event_id);
        if (endpoint === undefined || isLate) this.#unsent.push(delivery.id);
        else
          this.#begin(delivery, { ...endpoint, sealedSecrets: secrets.get(endpoint.id) ?? [] }, event, nowMs);
      }
    } catch (error) {
      this.#unsent.push(...claimed.map((row) => row.id).filter((id) => !this.#underWay.has(id)));
      throw error;
    }
  }

  #begin(delivery: ClaimedDelivery, endpoint: Addressee, event: SentEvent | undefined, nowMs: number): void {
    this.#lanes.begin(endpoint.id, endpoint.failing_since !== null);
    this.#underWay.set(delivery.id, this.#attempt(delivery, endpoint, event, nowMs));
  }

  async #attempt(
    delivery: ClaimedDelivery,
    endpoint: Addressee,
    event: SentEvent | undefined,
    atMs: number,
  ): Promise<void> {
    const { store, send, random, wake } = this.#parts;
    let ending: Ending = "silence";
    try {
      const sent = await sendEvent(event, endpoint, store.sealer, atMs, (envelope) =>
        send(envelope, this.#broken.signal),
      );
      if (succeeded(sent.answer)) ending = "success";
      else if (sent.answer.status !== null && sent.durationMs < slowMs) ending = "refused";
      this.#unwritten.push(resultOf({ delivery, atMs, ...sent }, random()));
    } catch {
      // Broken off because the server stops: nobody knows how it would have ended.
      this.#unsent.push(delivery.id);
    } finally {
      this.#lanes.end(endpoint.id, ending);
      wake();
    }
  }

  /** Until it is written, a delivery stays under way: it would be sent again otherwise. */
  async #write(): Promise<void> {
    const results = this.#unwritten;
    if (results.length > 0) {
      const over = new Set(await settle({ ...this.#parts, claimant: this.claimant }, results));
      this.#unwritten = this.#unwritten.filter((result) => !over.has(result));
      for (const result of over) this.#underWay.delete(result.attempt.delivery_id);
    }
    const unsent = this.#unsent;
    if (unsent.length === 0) return;
    const { store } = this.#parts;
    const nowMs = await store.clock();
    await store.transaction((db) => releaseDeliveries(db, unsent, this.claimant, nowMs), "soon");
    this.#unsent = this.#unsent.slice(unsent.length);
    for (const id of unsent) this.#underWay.delete(id);
  }
}
