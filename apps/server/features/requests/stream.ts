import type { RequestFilter } from "@countersign/store/queries/requests/filter";
import { searchRequests } from "@countersign/store/queries/requests/search";
import type { Context, OrganizationContext } from "../../api/context.ts";
import { Shares } from "../../api/shares.ts";
import { eventStreamHeaders, StreamedResponse } from "../../http/response.ts";
import { liveRequests, overlapMs, type RequestEvent } from "./live.ts";
import { showRequests } from "./show.ts";

export const liveViews = new Shares({ perCaller: 10, perOrganization: 50, inAll: 400 }, "too_many_streams");
const checkEveryMs = 15_000;
const maxStreamMs = 10 * 60_000;
/** How much a client gets of what it missed. */
const maxMissed = 500;

/** Requests as they happen, as server-sent events, until the client leaves, loses its access, or ten minutes are over. */
export async function requestStream(
  context: OrganizationContext,
  filter: RequestFilter,
  keptSinceMs: number,
): Promise<Response> {
  if (context.request.method === "HEAD") return new Response(null, { headers: eventStreamHeaders });
  const { store, log } = context;
  const leaveShare = liveViews.enter(context);
  const stream = new EventStream();
  stream.onceEnded(leaveShare);
  const leave = await liveRequests(store, log)
    .watch({
      filter,
      receive: (events, skipped) => stream.send(events, skipped),
      end: () => stream.end(),
    })
    .catch((error) => {
      stream.end();
      throw error;
    });
  const check = setInterval(async () => {
    try {
      await context.checkAccess();
      stream.beat();
    } catch {
      stream.end();
    }
  }, checkEveryMs);
  const longest = setTimeout(() => stream.end(), maxStreamMs);
  stream.onceEnded(() => {
    leaveShare();
    leave();
    clearInterval(check);
    clearTimeout(longest);
  });
  // A client that leaves before the response has started does not cancel its body.
  const { signal } = context.request;
  signal.addEventListener("abort", () => stream.end(), { once: true });
  if (signal.aborted) stream.end();
  try {
    const last = lastEventOf(context.request);
    // After it watches: what is logged meanwhile comes from there, and nothing is missed in between.
    if (last !== null)
      await sendMissed(context, stream, filter, Math.max(keptSinceMs, last.at - overlapMs), last.id);
  } catch (error) {
    stream.end();
    throw error;
  }
  return new StreamedResponse(stream.body, { headers: eventStreamHeaders });
}

/** What a client that was interrupted has not got, and possibly a few requests that it has. */
async function sendMissed(
  { store }: Context,
  stream: EventStream,
  filter: RequestFilter,
  sinceMs: number,
  lastId: string,
): Promise<void> {
  const range = { fromMs: sinceMs, untilMs: Number.MAX_SAFE_INTEGER };
  const page = { filter, range, after: null, limit: maxMissed };
  const { rows, next } = await searchRequests(store.listReads, page);
  const missed = rows.filter(({ id }) => id !== lastId).reverse();
  const shown = await showRequests(store.reads, filter.organizationId, missed);
  const events = missed.map(({ at, id }, index) => ({ at, id, json: JSON.stringify(shown[index]) }));
  stream.send(events, next === null ? 0 : null);
}

/** Where a client was interrupted; null if it is new, or sends something else. */
function lastEventOf(request: Request): { readonly at: number; readonly id: string } | null {
  const [, at, id] = /^(\d{1,15})-([0-9a-f-]{36})$/.exec(request.headers.get("last-event-id") ?? "") ?? [];
  return at === undefined || id === undefined ? null : { at: Number(at), id };
}

/** What a client that reads slowly can be behind. */
const maxWaiting = 500;
/** How many IDs are remembered, so that a request that is both new and missed is sent once. */
const maxRemembered = 1_000;

/** Server-sent events for one client. They wait until it has read what it was sent, and too many of them are skipped. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** So that headers are sent at once. */
  #text = "retry: 2000\n\n";
  #waiting = 0;
  #skipped: number | null = 0;
  /** The last ones, which can be both new and missed. */
  #sent = new Set<string>();
  #isOver = false;
  #ended: () => void = () => {};

  constructor() {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#flush(),
      cancel: () => this.#finish(),
    });
  }

  /** Calls this once, when the client is gone or the stream has ended: now, if that has happened already. */
  onceEnded(ended: () => void): void {
    if (this.#isOver) ended();
    else this.#ended = ended;
  }

  /** `skipped` is null if it is not known how many were left out. */
  send(events: readonly RequestEvent[], skipped: number | null): void {
    this.#skipped = skipped === null || this.#skipped === null ? null : this.#skipped + skipped;
    for (const { at, id, json } of events) {
      if (this.#sent.has(id)) continue;
      if (this.#waiting >= maxWaiting) {
        if (this.#skipped !== null) this.#skipped += 1;
        continue;
      }
      this.#remember(id);
      this.#waiting += 1;
      this.#text += `event: request\nid: ${at}-${id}\ndata: ${json}\n\n`;
    }
    this.#flush();
  }

  /** Keeps proxies from closing the connection, and notices if the client is gone. */
  beat(): void {
    if (this.#text === "") this.#text = ":\n\n";
    this.#flush();
  }

  end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#controller?.close();
  }

  #flush(): void {
    if (this.#isOver || this.#controller === null || (this.#controller.desiredSize ?? 0) <= 0) return;
    if (this.#skipped !== 0) this.#text += `event: skipped\ndata: {"count":${this.#skipped}}\n\n`;
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    this.#waiting = 0;
    this.#skipped = 0;
    this.#controller.enqueue(this.#encoder.encode(text));
  }

  #remember(id: string): void {
    this.#sent.add(id);
    for (const oldest of this.#sent) {
      if (this.#sent.size <= maxRemembered) break;
      this.#sent.delete(oldest);
    }
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#text = "";
    this.#ended();
  }
}
