import type { FileResponse } from "../http/response.ts";
import type { FairQueueLimits, Party } from "../limits/fair-queue.ts";
import { LargeResponses } from "../limits/large-responses.ts";

/** Each costs a piece, and what the operating system keeps for its connection. A browser takes six at a time. */
const limits: FairQueueLimits = {
  admitted: { inAll: 512, perNetwork: 256, perClient: 64 },
  waiting: { inAll: 4_000, perNetwork: 3_000, perClient: 300 },
  waitTimeoutMs: 5_000,
};
const pieceBytes = 64 * 1024;
/** Half a megabyte, for which the operating system takes less than a millisecond. */
const maxPiecesPerTurn = 8;

/** Sends large files, which are in memory once: in pieces, and few in each turn of the event loop, so that nothing waits. */
export class FileSender {
  readonly #responses: LargeResponses;
  readonly #turns = new Turns(maxPiecesPerTurn);

  constructor(now: () => number = () => performance.now()) {
    this.#responses = new LargeResponses(limits, now);
  }

  get use() {
    return this.#responses.use;
  }

  /** Null if there is no room for it. */
  async send(file: FileResponse, party: Party, signal: AbortSignal): Promise<Response | null> {
    const { content, status, headers } = file;
    let into: ReadableStreamDefaultController<Uint8Array> | null = null;
    const cut = () => into?.error(new Error("The file was not taken soon enough."));
    const response = await this.#responses.enter(party, cut);
    if (response === null) return null;
    // The body of a caller who left before it began is not canceled.
    signal.addEventListener("abort", response.end, { once: true });
    if (signal.aborted) response.end();
    let at = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          into = controller;
        },
        pull: async (controller) => {
          response.pieceAsked();
          await this.#turns.next();
          const piece = content.subarray(at, at + pieceBytes);
          at += piece.byteLength;
          if (piece.byteLength > 0) {
            controller.enqueue(piece);
            response.pieceSent();
          } else {
            response.end();
            controller.close();
          }
        },
        cancel: response.end,
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, { status, headers });
  }
}

/** Lets so many go in each turn of the event loop, in the order in which they ask. */
class Turns {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #gone = 0;
  #isScheduled = false;

  constructor(max: number) {
    this.#max = max;
  }

  next(): Promise<void> | undefined {
    this.#schedule();
    if (this.#gone < this.#max) {
      this.#gone += 1;
      return undefined;
    }
    return new Promise((go) => this.#waiting.push(go));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const due = this.#waiting.splice(0, this.#max);
      this.#gone = due.length;
      if (due.length > 0) this.#schedule();
      for (const go of due) go();
    });
  }
}
