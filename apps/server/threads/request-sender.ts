import { FileResponse } from "../http/response.ts";
import { asRejection } from "../limits/tarpit.ts";
import type { FromWorker, HeaderPairs, PieceReader, ToWorker } from "./messages.ts";

export interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal;
}

/** Is told what a request waits for, so that it keeps no other from being served meanwhile. */
export interface ProgressObserver {
  /** The rest of its body; `giveUp` ends that. */
  readsBody(giveUp: () => void): void;
  bodyEnded(): void;
  /** An event or another server. */
  waits(seconds: number): void;
  resumes(): void;
  /**
   * Its caller, who takes the response in pieces. If it is in memory until then, the answer is whether it can begin;
   * later, `giveUp` ends it.
   */
  sendsPieces(silentSeconds: number, isHeld: boolean, giveUp: () => void): true | Promise<boolean>;
  pieceAsked(): void;
  pieceSent(): void;
  /** Nothing any more. */
  ended(): void;
}

/** Null members belong to stages that have not begun, or are over. */
interface Exchange {
  readonly id: number;
  readonly request: SentRequest;
  readonly progress: ProgressObserver;
  readonly responded: PromiseWithResolvers<Response | null>;
  body: PieceReader | null;
  /** The body was given up: what has been read of it must never pass for all of it. */
  isBodyLost: boolean;
  /** Who waits for the next piece of the response. */
  pull: { readonly into: ReadableStreamDefaultController<Uint8Array>; readonly done: () => void } | null;
  pieces: ReadableStreamDefaultController<Uint8Array> | null;
}

/** A worker that has not reacted for this long is busy with one thing, or with too many. */
const unresponsiveAfterMs = 3_000;
const pingEveryMs = 250;

/** The validating thread's side: sends requests to the management worker, and makes responses of its messages. */
export class RequestSender {
  readonly #send: (message: ToWorker) => void;
  readonly #exchanges = new Map<number, Exchange>();
  /** Large files that the worker has sent. */
  readonly #files = new Map<number, Uint8Array>();
  #lastId = 0;
  /** When the ping was sent that has not been answered; null if all are. */
  #pingSentMs: number | null = null;
  #pongMs = 0;

  constructor(send: (message: ToWorker) => void) {
    this.#send = send;
  }

  get isUnresponsive(): boolean {
    return this.#pingSentMs !== null && performance.now() - this.#pingSentMs > unresponsiveAfterMs;
  }

  /**
   * Null if there is no room for the response. Rejects if the worker exits before it has responded, or if the caller
   * leaves.
   */
  send(request: SentRequest, progress: ProgressObserver): Promise<Response | null> {
    this.#lastId += 1;
    const id = this.#lastId;
    const responded = Promise.withResolvers<Response | null>();
    const exchange: Exchange = {
      ...{ id, request, progress, responded },
      ...{ body: null, isBodyLost: false, pull: null, pieces: null },
    };
    this.#exchanges.set(id, exchange);
    const { method, target, headers, body, signal } = request;
    signal.addEventListener("abort", () => this.#callerLeft(exchange), { once: true });
    this.#send({ kind: "request", id, method, target, headers, hasBody: body !== null });
    this.#ping();
    if (signal.aborted) this.#callerLeft(exchange);
    return responded.promise;
  }

  receive(message: FromWorker): void {
    if (message.kind === "pong") {
      this.#pingSentMs = null;
      this.#pongMs = performance.now();
      return;
    }
    if (message.kind === "file") {
      this.#files.set(message.file, message.bytes);
      return;
    }
    const exchange = this.#exchanges.get(message.id);
    if (exchange === undefined) return;
    try {
      this.#receive(exchange, message);
    } catch (error) {
      // Nothing that one response contains may end the thread that validates.
      exchange.responded.reject(error);
      this.#end(exchange);
    }
  }

  #receive(exchange: Exchange, message: Exclude<FromWorker, { kind: "pong" | "file" }>): void {
    const { progress } = exchange;
    if (message.kind === "read_body") void this.#sendBody(exchange);
    else if (message.kind === "cancel_body") cancelBody(exchange);
    else if (message.kind === "waits") progress.waits(message.seconds);
    else if (message.kind === "resumes") progress.resumes();
    else if (message.kind === "response") this.#respond(exchange, message);
    else if (message.kind === "file_response") this.#respondFile(exchange, message);
    else if (message.kind === "failed") {
      exchange.responded.reject(new Error(message.reason));
      this.#end(exchange);
    } else this.#takePiece(exchange, message.kind === "piece" ? message.piece : undefined);
  }

  /** The worker has exited. */
  fail(reason: string): void {
    this.#pingSentMs = null;
    this.#files.clear();
    for (const exchange of [...this.#exchanges.values()]) {
      exchange.responded.reject(new Error(reason));
      exchange.pieces?.error(new Error(reason));
      this.#end(exchange);
    }
  }

  async #sendBody(exchange: Exchange): Promise<void> {
    const { id, request, progress } = exchange;
    if (exchange.body === null) {
      exchange.body = request.body?.getReader() ?? null;
      progress.readsBody(() => {
        exchange.isBodyLost = true;
        cancelBody(exchange);
        this.#send({ kind: "body_failed", id, isTooSlow: true });
      });
    }
    const read = await exchange.body?.read().catch(() => null);
    if (read === null || exchange.isBodyLost) {
      progress.bodyEnded();
      this.#send({ kind: "body_failed", id, isTooSlow: exchange.isBodyLost });
      return;
    }
    if (read === undefined || read.done) progress.bodyEnded();
    this.#send({ kind: "body", id, piece: read?.value ?? null });
  }

  #respond(exchange: Exchange, message: FromWorker & { kind: "response" }): void {
    const { progress, responded } = exchange;
    const { status, body, isRejection } = message;
    const init = { status, headers: message.headers as [string, string][] };
    if (body !== null) {
      this.#end(exchange);
      const response = new Response(body.byteLength === 0 ? null : body, init);
      responded.resolve(isRejection ? asRejection(response) : response);
      return;
    }
    const giveUp = () => {
      exchange.pieces?.error(new Error("The response was not taken soon enough."));
      this.#callerLeft(exchange);
    };
    const begin = () => responded.resolve(new Response(this.#piecesOf(exchange), init));
    const mayBegin = progress.sendsPieces(message.silentSeconds, message.isHeld, giveUp);
    if (mayBegin === true) begin();
    else void this.#beginOnceAdmitted(exchange, mayBegin, begin);
  }

  async #beginOnceAdmitted(
    exchange: Exchange,
    admission: Promise<boolean>,
    begin: () => void,
  ): Promise<void> {
    const isAdmitted = await admission;
    if (!this.#exchanges.has(exchange.id)) return;
    try {
      if (isAdmitted) return begin();
      exchange.responded.resolve(null);
    } catch (error) {
      exchange.responded.reject(error);
    }
    // The rest of it is not needed.
    this.#callerLeft(exchange);
  }

  /** What follows of a file needs neither the worker nor the exchange. */
  #respondFile(exchange: Exchange, { status, headers, file }: FromWorker & { kind: "file_response" }): void {
    const bytes = this.#files.get(file);
    if (bytes === undefined) throw new Error("The file of a response is missing.");
    exchange.responded.resolve(new FileResponse(bytes, { status, headers: headers as [string, string][] }));
    this.#end(exchange);
  }

  #piecesOf(exchange: Exchange): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (into) => {
          exchange.pieces = into;
        },
        pull: (into) =>
          new Promise((done) => {
            exchange.pull = { into, done };
            exchange.progress.pieceAsked();
            this.#send({ kind: "read", id: exchange.id });
          }),
        cancel: () => this.#callerLeft(exchange),
      },
      { highWaterMark: 0 },
    );
  }

  /** Undefined if the rest will not follow, null after the last piece. */
  #takePiece(exchange: Exchange, piece: Uint8Array | null | undefined): void {
    const { pull } = exchange;
    exchange.pull = null;
    if (piece) {
      pull?.into.enqueue(piece);
      exchange.progress.pieceSent();
    } else {
      if (piece === null) pull?.into.close();
      // Its caller may take nothing at the moment.
      else exchange.pieces?.error(new Error("The rest of the response will not follow."));
      this.#end(exchange);
    }
    pull?.done();
  }

  #callerLeft(exchange: Exchange): void {
    if (!this.#exchanges.has(exchange.id)) return;
    this.#send({ kind: "left", id: exchange.id });
    exchange.responded.reject(new Error("The caller is gone."));
    this.#end(exchange);
  }

  #end(exchange: Exchange): void {
    if (!this.#exchanges.delete(exchange.id)) return;
    cancelBody(exchange);
    exchange.pull?.done();
    exchange.pull = null;
    exchange.progress.ended();
  }

  /** Not more often than needed to know whether the worker reacts. */
  #ping(): void {
    const nowMs = performance.now();
    if (this.#pingSentMs !== null || nowMs - this.#pongMs < pingEveryMs) return;
    this.#pingSentMs = nowMs;
    this.#send({ kind: "ping" });
  }
}

function cancelBody({ body, progress }: Exchange): void {
  progress.bodyEnded();
  body?.cancel().catch(() => undefined);
}
