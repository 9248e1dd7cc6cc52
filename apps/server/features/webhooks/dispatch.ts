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
import { emptyEndpoint } from "@countersign/store/queries/organization-removal";
import type { Store } from "@countersign/store/store";
import { newId } from "../../new-id.ts";
import { type Addressee, type Envelope, envelopeOf } from "./envelope.ts";
import { type Ending, Lanes } from "./lanes.ts";
import { noteAttempts, resultOf, succeeded } from "./outcome.ts";
import { type Answer, type Outgoing, sendTimeoutMs } from "./send.ts";

/** How long a delivery is one node's: time to send it, and as long again to write down how it ended. */
const leaseMs = 2 * sendTimeoutMs;
/** A claim that took so long to come back is not used: too little of it is left. */
const latestStartMs = 5_000;
const claimsAtOnce = 200;
/** While so much could not be written down, nothing more is begun. */
const mostUnwritten = 1_000;
const farewellMs = 3_000;
/** A refusal that took longer than this is no better than silence. */
const slowMs = 1_000;

export type Sender = (outgoing: Outgoing, broken: AbortSignal) => Promise<Answer>;

export interface DispatcherParts {
  readonly store: Store;
  readonly send: Sender;
  /** The address of this server, for letters. */
  readonly url: string;
  readonly random: () => number;
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
    const startedMs = performance.now();
    let ending: Ending = "silence";
    try {
      const envelope = prepared(() => envelopeOf(event, endpoint, store.sealer, atMs));
      const answer =
        "problem" in envelope
          ? { status: null, body: null, problem: envelope.problem }
          : await send(envelope, this.#broken.signal);
      const durationMs = performance.now() - startedMs;
      if (succeeded(answer)) ending = "success";
      else if (answer.status !== null && durationMs < slowMs) ending = "refused";
      const headers = "problem" in envelope ? {} : envelope.loggedHeaders;
      this.#unwritten.push(resultOf({ delivery, atMs, durationMs, headers, answer }, random()));
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
    const unsent = this.#unsent;
    if (results.length + unsent.length === 0) return;
    const { store, url } = this.#parts;
    const nowMs = await store.clock();
    const isOver = results.length > 0;
    await store.transaction(async (db) => {
      if (isOver) await noteAttempts(db, this.claimant, results, nowMs, url);
      if (unsent.length > 0) await releaseDeliveries(db, unsent, this.claimant, nowMs);
    }, "soon");
    this.#unwritten = this.#unwritten.slice(results.length);
    this.#unsent = this.#unsent.slice(unsent.length);
    for (const result of results) this.#underWay.delete(result.attempt.delivery_id);
    for (const id of unsent) this.#underWay.delete(id);
  }
}

/** What cannot even be put into words is an attempt that failed, and is seen in the log of attempts. */
function prepared(make: () => Envelope): Envelope | { readonly problem: string } {
  try {
    return make();
  } catch {
    return {
      problem: "The event could not be made ready to be sent. The server's operator should look into it.",
    };
  }
}
