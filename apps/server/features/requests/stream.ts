import type { RequestFilter } from "@countersign/store/queries/requests/filter";
import { searchRequests } from "@countersign/store/queries/requests/search";
import { actorId } from "../../http/manage/actor.ts";
import type { Context } from "../../http/manage/context.ts";
import { requireUserOrToken } from "../../http/manage/context.ts";
import { liveRequests, type RequestEvent } from "./live.ts";
import { showRequests } from "./show.ts";
import { overlapMs } from "./tail.ts";

const checkEveryMs = 15_000;
const longestMs = 10 * 60_000;
/** What a client that reads slowly can be behind. The rest is skipped. */
const mostWaiting = 500;
/** How much a client gets of what it missed. */
const mostMissed = 500;

/** Requests as they happen, as server-sent events, until the client leaves, loses its access, or ten minutes are over. */
export async function requestStream(
  context: Context,
  filter: RequestFilter,
  keptSinceMs: number,
): Promise<Response> {
  if (context.request.method === "HEAD") return new Response(null, { headers });
  const { store, log } = context;
  const stream = new EventStream();
  const leave = await liveRequests(store, log).watch({
    actorId: actorId(requireUserOrToken(context)),
    filter,
    receive: (events, skipped) => stream.send(events, skipped),
    end: () => stream.end(),
  });
  const check = setInterval(async () => {
    try {
      await context.checkAccess();
      stream.beat();
    } catch {
      stream.end();
    }
  }, checkEveryMs);
  const longest = setTimeout(() => stream.end(), longestMs);
  stream.ended = () => {
    leave();
    clearInterval(check);
    clearTimeout(longest);
  };
  try {
    const last = lastEventOf(context.request);
    // After it watches: what is logged meanwhile comes from there, and nothing is missed in between.
    if (last !== null)
      await sendMissed(context, stream, filter, Math.max(keptSinceMs, last.at - overlapMs), last.id);
  } catch (error) {
    stream.end();
    throw error;
  }
  return new Response(stream.body, { headers });
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
  const page = { filter, range, after: null, limit: mostMissed };
  const { rows, next } = await searchRequests(store.listReads, page);
  const missed = rows.filter(({ id }) => id !== lastId).reverse();
  const shown = await showRequests(store.reads, filter.organizationId, missed);
  const events = missed.map(({ at, id }, index) => ({ at, id, json: JSON.stringify(shown[index]) }));
  stream.send(events, next === null ? 0 : null);
}

/** The text of the events that wait until the client has read what it was sent. */
class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Called once. */
  ended: () => void = () => {};
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** So that headers are sent at once. */
  #text = "retry: 2000\n\n";
  #waiting = 0;
  #skipped: number | null = 0;
  /** The last ones, which can be both new and missed. */
  #sent = new Set<string>();
  #isOver = false;

  constructor() {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#flush(),
      cancel: () => this.#finish(),
    });
  }

  /** `skipped` is null if it is not known how many were left out. */
  send(events: readonly RequestEvent[], skipped: number | null): void {
    this.#skipped = skipped === null || this.#skipped === null ? null : this.#skipped + skipped;
    for (const { at, id, json } of events) {
      if (this.#sent.has(id)) continue;
      if (this.#waiting >= mostWaiting) {
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
      if (this.#sent.size <= 2 * mostMissed) break;
      this.#sent.delete(oldest);
    }
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#text = "";
    this.ended();
  }
}

/** Where a client was interrupted; null if it is new, or sends something else. */
function lastEventOf(request: Request): { readonly at: number; readonly id: string } | null {
  const [, at, id] = /^(\d{1,15})-([0-9a-f-]{36})$/.exec(request.headers.get("last-event-id") ?? "") ?? [];
  return at === undefined || id === undefined ? null : { at: Number(at), id };
}

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // nginx would otherwise collect events before it passes them on.
  "x-accel-buffering": "no",
};
