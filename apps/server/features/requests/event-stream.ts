import type { RequestEvent } from "./live.ts";

/** What a client that reads slowly can be behind. */
const mostWaiting = 500;
/** How many IDs are remembered, so that a request that is both new and missed is sent once. */
const mostRemembered = 1_000;

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
      if (this.#sent.size <= mostRemembered) break;
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
