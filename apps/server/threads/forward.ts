import { createHash } from "node:crypto";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { Problem, problemResponse } from "../http/problem.ts";
import { callerIpOf, networkOf, peerHeader, siteHeader, withoutHost } from "../http/request.ts";
import { FairQueue, type Party, type Slot } from "../limits/fair-queue.ts";
import { OldestFirst } from "../limits/oldest-first.ts";
import { isRejection, Tarpit } from "../limits/tarpit.ts";
import type { ProgressObserver, SentRequest } from "./request-sender.ts";

/** The management worker, as far as requests are concerned. */
interface RequestWorker {
  readonly isUnresponsive: boolean;
  /** Rejects if it is not running. */
  answer(request: SentRequest, progress: ProgressObserver): Promise<Response>;
}

interface ForwarderParts {
  readonly worker: RequestWorker;
  readonly failed: (error: unknown) => void;
  /** The portal's own host; null if it has none. */
  readonly portalHost: string | null;
  readonly trustedProxies: CidrSet;
}

/** The connection of a request. */
interface Connection {
  readonly peer: string | null;
  /** Closes it after this time without data. */
  setIdleLimit(seconds: number): void;
}

/** Headers that concern a single connection and not the request. */
const connectionHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/**
 * The worker does one thing at a time, so few requests at a time keep it busy. A browser sends six at a time to a host.
 */
const limits = {
  admitted: { inAll: 64, perNetwork: 40, perClient: 8 },
  waiting: { inAll: 4_000, perNetwork: 3_000, perClient: 300 },
  waitTimeoutMs: 5_000,
};
/** Each takes up to the limit of its body in memory. */
const unfinishedBodies = { inAll: 300, perParty: 24 };
/** Each is large, and in memory. */
const untakenResponses = { inAll: 40, perParty: 10 };

/**
 * Forwards requests to the management worker, in turns of those who send them. What a request waits for takes no slot of
 * those that are served: neither its body, nor an event, nor a caller who reads slowly.
 */
export class Forwarder {
  readonly #parts: ForwarderParts;
  readonly #queue = new FairQueue(limits);
  readonly #bodies = new OldestFirst(unfinishedBodies);
  readonly #untaken = new OldestFirst(untakenResponses);
  readonly #tarpit = new Tarpit();
  /** Refused at once, because the worker has not reacted for seconds. */
  #unanswerable = 0;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  /** What the validating thread keeps for requests to the worker, by budget. */
  get budgets() {
    const { inUse, limit, refused } = this.#queue.admittedUse;
    return {
      requests: { inUse, limit, refused: refused + this.#unanswerable },
      waiting_requests: this.#queue.waitingUse,
      request_bodies: this.#bodies.use,
      large_responses: this.#untaken.use,
      delayed_rejections: this.#tarpit.use,
    };
  }

  async forward(request: Request, connection: Connection, requestId: string): Promise<Response> {
    const { worker, failed, portalHost, trustedProxies } = this.#parts;
    const target = withoutHost(request.url);
    const party = {
      network: networkOf(callerIpOf(connection.peer, request.headers, trustedProxies)?.text ?? null),
      client: clientOf(request, target),
    };
    if (worker.isUnresponsive) {
      this.#unanswerable += 1;
      return problemResponse(tooMany(), requestId);
    }
    const slot = await this.#queue.enter(party);
    // Who has so many waiting would try again at once.
    if (slot === null) return this.#tarpit.delay(() => problemResponse(tooMany(), requestId));
    try {
      const response = await worker.answer(
        {
          method: request.method,
          target,
          headers: forwardedHeaders(request.headers, connection.peer, portalHost),
          body: request.body,
          signal: request.signal,
        },
        this.#progressOf(party, slot, connection),
      );
      return isRejection(response) ? await this.#tarpit.delay(() => response) : response;
    } catch (error) {
      slot.end();
      if (!request.signal.aborted) failed(error);
      return problemResponse(notRunning(), requestId);
    }
  }

  #progressOf(party: Party, slot: Slot, { setIdleLimit }: Connection): ProgressObserver {
    const name = `${party.network} ${party.client}`;
    let leave = () => {};
    return {
      readsBody: (giveUp) => {
        slot.pause();
        leave = this.#bodies.enter(name, giveUp);
      },
      bodyEnded: () => {
        leave();
        slot.resume();
      },
      waits: (seconds) => {
        slot.pause();
        setIdleLimit(seconds);
      },
      resumes: slot.resume,
      sendsPieces: (silentSeconds, giveUp) => {
        slot.end();
        setIdleLimit(silentSeconds);
        if (giveUp !== null) leave = this.#untaken.enter(name, giveUp);
      },
      ended: () => {
        leave();
        slot.end();
      },
    };
  }
}

/**
 * What tells the clients of a network apart, before anyone has checked their credentials. Those that have none count by
 * what they ask for, so that a flood of rejected sign-ins does not delay pages.
 */
function clientOf({ headers, method }: Request, target: string): string {
  const text = headers.get("authorization") ?? headers.get("cookie") ?? `${method} ${target.split("?")[0]}`;
  return createHash("sha1").update(text).digest("base64");
}

function forwardedHeaders(from: Headers, peer: string | null, portalHost: string | null): [string, string][] {
  const headers: [string, string][] = [];
  for (const [name, value] of from)
    if (!connectionHeaders.has(name) && name !== "host" && name !== siteHeader && name !== peerHeader)
      headers.push([name, value]);
  // The worker is addressed by a fixed name: nothing else there may depend on the `Host` that a caller sent.
  headers.push(["host", "countersign"]);
  if (portalHost !== null && from.get("host")?.toLowerCase() === portalHost)
    headers.push([siteHeader, "portal"]);
  if (peer !== null) headers.push([peerHeader, peer]);
  return headers;
}

function tooMany(): Problem {
  return new Problem("server_busy", {}, soon);
}

function notRunning(): Problem {
  return new Problem("management_unavailable", {}, soon);
}

const soon = { headers: { "retry-after": "1" } };
