import { BodyTooSlow } from "../api/bounded-body.ts";
import { reasonOf } from "../base/log.ts";
import { FileResponse, StreamedResponse } from "../http/response.ts";
import { isRejection } from "../limits/tarpit.ts";
import { observeWaits } from "../limits/waiting.ts";
import type { FromWorker, HeaderPairs, PieceReader, ToWorker } from "./messages.ts";

/** A larger response is sent in pieces, so that a caller who does not take it costs little. */
const wholeBytes = 256 * 1024;
const pieceBytes = 64 * 1024;
/** A connection without progress is closed after this time. */
const untakenSeconds = 15;

/** A request in progress. */
interface Exchange {
  readonly id: number;
  readonly left: AbortController;
  /** Who waits for the next piece of the body. */
  body: { readonly into: ReadableStreamDefaultController<Uint8Array>; readonly done: () => void } | null;
  /** The next piece of the response; null if there are no more. */
  nextPiece: (() => Promise<Uint8Array | null>) | null;
  cancelPieces: () => void;
}

/** The worker's side: makes requests of the messages of the validating thread, and messages of the responses. */
export class RequestReceiver {
  readonly #send: (message: FromWorker) => void;
  readonly #answer: (request: Request) => Response | Promise<Response>;
  readonly #exchanges = new Map<number, Exchange>();
  /** The files that the other thread has. */
  readonly #files = new Map<Uint8Array, number>();

  constructor(
    send: (message: FromWorker) => void,
    answer: (request: Request) => Response | Promise<Response>,
  ) {
    this.#send = send;
    this.#answer = answer;
  }

  receive(message: ToWorker): void {
    if (message.kind === "ping") {
      this.#send({ kind: "pong" });
      return;
    }
    if (message.kind === "request") {
      void this.#begin(message);
      return;
    }
    const exchange = this.#exchanges.get(message.id);
    if (exchange === undefined) return;
    if (message.kind === "read") void this.#sendPiece(exchange);
    else if (message.kind === "left") this.#leave(exchange);
    else if (message.kind === "body") bodyArrives(exchange, message.piece);
    else bodyFails(exchange, message.isTooSlow ? new BodyTooSlow() : new Error("The caller is gone."));
  }

  /** Ends all requests in progress. */
  cut(): void {
    for (const exchange of [...this.#exchanges.values()]) this.#leave(exchange);
  }

  async #begin(message: ToWorker & { kind: "request" }): Promise<void> {
    const { id } = message;
    const exchange: Exchange = {
      id,
      left: new AbortController(),
      body: null,
      nextPiece: null,
      cancelPieces: () => {},
    };
    this.#exchanges.set(id, exchange);
    try {
      await this.#respond(
        exchange,
        await this.#answer(this.#requestOf(exchange, message)),
        message.method === "HEAD",
      );
    } catch (error) {
      this.#exchanges.delete(id);
      this.#send({ kind: "failed", id, reason: reasonOf(error) });
    }
  }

  #requestOf(
    exchange: Exchange,
    { id, method, target, headers, hasBody }: ToWorker & { kind: "request" },
  ): Request {
    const request = new Request(`http://countersign${target}`, {
      method,
      headers: headers as [string, string][],
      body: hasBody ? this.#bodyOf(exchange) : null,
      signal: exchange.left.signal,
    });
    observeWaits(request, (seconds) => {
      this.#send({ kind: "waits", id, seconds });
      return () => this.#send({ kind: "resumes", id });
    });
    return request;
  }

  /** Asks for each piece when it is read. */
  #bodyOf(exchange: Exchange): ReadableStream<Uint8Array> {
    const { id } = exchange;
    return new ReadableStream<Uint8Array>(
      {
        pull: (into) =>
          new Promise((done) => {
            exchange.body = { into, done };
            this.#send({ kind: "read_body", id });
          }),
        cancel: () => {
          exchange.body?.done();
          exchange.body = null;
          this.#send({ kind: "cancel_body", id });
        },
      },
      { highWaterMark: 0 },
    );
  }

  async #respond(exchange: Exchange, response: Response, isHead: boolean): Promise<void> {
    const { id } = exchange;
    const { status } = response;
    const headers: HeaderPairs = [...response.headers];
    const head = { kind: "response", id, status, headers, isRejection: isRejection(response) } as const;
    const whole = (body: Uint8Array, more: HeaderPairs = []) => {
      this.#exchanges.delete(id);
      const all = [...headers, ...more];
      this.#send({ ...head, headers: all, body, isHeld: false, silentSeconds: untakenSeconds });
    };
    if (response instanceof FileResponse) {
      const { content } = response;
      if (isHead) whole(new Uint8Array(), [["content-length", String(content.byteLength)]]);
      else if (content.byteLength <= pieceBytes) whole(content);
      else {
        this.#exchanges.delete(id);
        this.#send({ kind: "file_response", id, status, headers, file: this.#fileOf(content) });
      }
      return;
    }
    if (response instanceof StreamedResponse && response.body !== null) {
      const reader: PieceReader = response.body.getReader();
      exchange.cancelPieces = () => void reader.cancel().catch(() => undefined);
      if (isHead || exchange.left.signal.aborted) {
        exchange.cancelPieces();
        whole(new Uint8Array());
        return;
      }
      exchange.nextPiece = async () => (await reader.read()).value ?? null;
      this.#send({ ...head, body: null, isHeld: false, silentSeconds: response.silentSeconds });
      // Also while its caller takes nothing and no piece is asked for.
      reader.closed.catch(() => this.#failPieces(exchange));
      return;
    }
    const body = new Uint8Array(await response.arrayBuffer());
    if (isHead || body.byteLength <= wholeBytes) {
      whole(body);
      return;
    }
    exchange.nextPiece = piecesOf(body);
    this.#send({ ...head, body: null, isHeld: true, silentSeconds: untakenSeconds });
  }

  #fileOf(bytes: Uint8Array): number {
    const known = this.#files.get(bytes);
    if (known !== undefined) return known;
    const file = this.#files.size + 1;
    this.#files.set(bytes, file);
    this.#send({ kind: "file", file, bytes });
    return file;
  }

  async #sendPiece(exchange: Exchange): Promise<void> {
    const { id, nextPiece } = exchange;
    try {
      const piece = (await nextPiece?.()) ?? null;
      if (piece === null) this.#exchanges.delete(id);
      this.#send({ kind: "piece", id, piece });
    } catch {
      this.#failPieces(exchange);
    }
  }

  #failPieces({ id }: Exchange): void {
    if (this.#exchanges.delete(id)) this.#send({ kind: "piece_failed", id });
  }

  #leave(exchange: Exchange): void {
    this.#exchanges.delete(exchange.id);
    exchange.left.abort();
    exchange.cancelPieces();
    bodyFails(exchange, new Error("The caller is gone."));
  }
}

function bodyArrives(exchange: Exchange, piece: Uint8Array | null): void {
  const { body } = exchange;
  exchange.body = null;
  if (piece === null) body?.into.close();
  else body?.into.enqueue(piece);
  body?.done();
}

function bodyFails(exchange: Exchange, reason: Error): void {
  exchange.body?.into.error(reason);
  exchange.body?.done();
  exchange.body = null;
}

function piecesOf(body: Uint8Array): () => Promise<Uint8Array | null> {
  let at = 0;
  return async () => {
    // A copy, because a message with a part of a buffer takes all of it to the other thread.
    const piece = body.slice(at, at + pieceBytes);
    at += piece.byteLength;
    return piece.byteLength === 0 ? null : piece;
  };
}
