import { createHash } from "node:crypto";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { Problem, problemResponse } from "../http/problem.ts";
import { callerIpOf, isRead, networkOf, peerHeader, siteHeader, withoutHost } from "../http/request.ts";
import { FileResponse } from "../http/response.ts";
import { FairQueue, type Party, type Slot } from "../limits/fair-queue.ts";
import { type LargeResponse, LargeResponses } from "../limits/large-responses.ts";
import { OldestFirst } from "../limits/oldest-first.ts";
import { isRejection, Tarpit } from "../limits/tarpit.ts";
import { FileSender } from "./file-sender.ts";
import type { ProgressObserver, SentRequest } from "./request-sender.ts";

/** The management worker, as far as requests are concerned. */
interface RequestWorker {
  readonly isUnresponsive: boolean;
  /** Null if there is no room for the response. Rejects if it is not running. */
  answer(request: SentRequest, progress: ProgressObserver): Promise<Response | null>;
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

interface ForwardedRequest {
  readonly party: Party;
  readonly slot: Slot;
  readonly connection: Connection;
  /** It changes nothing, so it can be refused at any time. */
  readonly isRead: boolean;
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
/** Each is in memory, also while it waits. */
const largeResponses = {
  admitted: { inAll: 40, perNetwork: 30, perClient: 10 },
  waiting: { inAll: 40, perNetwork: 30, perClient: 8 },
  waitTimeoutMs: 5_000,
};
/** Each takes up to the limit of its body in memory. */
const unfinishedBodies = { inAll: 300, perParty: 24 };
/** A connection without progress is closed after this time. */
const untakenSeconds = 15;

/**
 * Forwards requests to the management worker, in turns of those who send them. What a request waits for takes no slot of
 * those that are served: neither its body, nor an event, nor a caller who reads slowly.
 */
export class Forwarder {
  readonly #parts: ForwarderParts;
  readonly #queue = new FairQueue(limits);
  readonly #bodies = new OldestFirst(unfinishedBodies);
  readonly #responses = new LargeResponses(largeResponses);
  readonly #files = new FileSender();
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
      large_responses: this.#responses.use,
      large_files: this.#files.use,
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
    const refuse = () => this.#tarpit.delay(() => problemResponse(tooMany(), requestId));
    if (slot === null) return refuse();
    try {
      const response = await worker.answer(
        {
          method: request.method,
          target,
          headers: forwardedHeaders(request.headers, connection.peer, portalHost),
          body: request.body,
          signal: request.signal,
        },
        this.#progressOf({ party, slot, connection, isRead: isRead(request) }),
      );
      if (response instanceof FileResponse) {
        connection.setIdleLimit(untakenSeconds);
        return (await this.#files.send(response, party, request.signal)) ?? (await refuse());
      }
      if (response === null) return await refuse();
      return isRejection(response) ? await this.#tarpit.delay(() => response) : response;
    } catch (error) {
      slot.end();
      if (!request.signal.aborted) failed(error);
      return problemResponse(notRunning(), requestId);
    }
  }

  #progressOf({ party, slot, connection, isRead }: ForwardedRequest): ProgressObserver {
    const { setIdleLimit } = connection;
    const name = `${party.network} ${party.client}`;
    let leave = () => {};
    let large: LargeResponse | null = null;
    let isOver = false;
    const admit = async (giveUp: () => void) => {
      // Its client makes no more of them meanwhile.
      slot.pauseForOthers();
      large = isRead
        ? await this.#responses.enter(party, giveUp)
        : this.#responses.enterAtOnce(party, giveUp);
      if (isOver) large?.end();
      slot.end();
      return large !== null;
    };
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
      sendsPieces: (silentSeconds, isHeld, giveUp) => {
        setIdleLimit(silentSeconds);
        if (isHeld) return admit(giveUp);
        slot.end();
        return true;
      },
      pieceAsked: () => large?.pieceAsked(),
      pieceSent: () => large?.pieceSent(),
      ended: () => {
        isOver = true;
        large?.end();
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
