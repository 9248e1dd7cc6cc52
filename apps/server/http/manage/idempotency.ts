import { createHash, type Hash } from "node:crypto";
import { keepNew, keepOver, keptAnswer } from "@countersign/store/queries/idempotency";
import type { Database, Store } from "@countersign/store/store";
import type { IdempotencyKeyRow } from "@countersign/store/tables";
import { Problem } from "./problem.ts";

/** An answer given before to a request with the same key. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The same request is worked on elsewhere, and is further there. What was done here meanwhile is undone. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** In place of a status, while the request has no answer yet: what is sealed is then how far it is. */
const unanswered = 0;

/** Null when the request has no `Idempotency-Key`. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem("malformed", "Idempotency-Key should have 1 to 255 visible ASCII characters.");
}

/** One request that says by which key it may be repeated. */
export class Idempotency {
  readonly #store: Store;
  readonly #actorId: string;
  readonly #key: string;
  readonly #hash: Hash;
  #fingerprint: string | null = null;
  /** How far the request is, sealed, as far as is known here; null when nothing of it is written down. */
  #sealedProgress: string | null = null;

  /** `request` is all that makes two requests the same, as far as it is known by now. */
  constructor(store: Store, actorId: string, key: string, request: string) {
    this.#store = store;
    this.#actorId = actorId;
    this.#key = key;
    this.#hash = createHash("sha256").update(request);
  }

  /** A body that is read as it comes is part of the request too. What it is gets known once it was read to its end. */
  async *reading(body: AsyncIterable<Uint8Array>, type: string): AsyncGenerator<Uint8Array, void> {
    this.#hash.update(`${type}\n`);
    for await (const chunk of body) {
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  /** What was answered before; refuses a key that was used for another request. */
  async answered(): Promise<KeptAnswer | null> {
    const kept = await keptAnswer(this.#store.reads, this.#actorId, this.#key);
    this.#sealedProgress = null;
    if (kept === undefined) return null;
    if (kept.fingerprint !== this.#whole()) {
      throw new Problem("conflict", "This Idempotency-Key was used for another request. Use a new one.");
    }
    if (kept.status === unanswered) {
      this.#sealedProgress = kept.sealed_answer;
      return null;
    }
    return { status: kept.status, body: this.#opened(kept.sealed_answer) };
  }

  /** Kept in the transaction that made the change: both happen, or neither. */
  async keep(db: Database, status: number, body: unknown, nowMs: number): Promise<void> {
    await this.#write(db, this.#row(status, body, nowMs));
  }

  /** The same for an answer that is known before, and may be large: it is sealed before anybody waits. */
  async keepAlone(status: number, body: unknown, nowMs: number): Promise<void> {
    const row = this.#row(status, body, nowMs);
    await this.#store.transaction((db) => this.#write(db, row));
  }

  /** What the last step of this request, or of an earlier try of it, wrote down; null before the first. */
  progress(): unknown {
    return this.#sealedProgress === null ? null : this.#opened(this.#sealedProgress);
  }

  /**
   * One of several transactions. What `work` returns is written down in it as how far the request is, and is the
   * answer, unless another try of the same request was quicker: then it is how far that one is.
   */
  async step<T>(work: (db: Database) => Promise<T>, nowMs: number): Promise<T> {
    let sealed = "";
    const value = await this.#store.transaction(async (db) => {
      // Whoever else is at this step waits here, and learns that it is done before doing it again.
      const claim = this.#row(unanswered, null, nowMs);
      await this.#write(db, claim);
      const done = await work(db);
      const row = this.#row(unanswered, done, nowMs);
      if (!(await keepOver(db, row, claim.sealed_answer))) throw new Overtaken();
      sealed = row.sealed_answer;
      return done;
    });
    this.#sealedProgress = sealed;
    return value;
  }

  async #write(db: Database, row: IdempotencyKeyRow): Promise<void> {
    const before = this.#sealedProgress;
    const isWritten = before === null ? await keepNew(db, row) : await keepOver(db, row, before);
    if (!isWritten) throw new Overtaken("The same request is under way.");
  }

  #row(status: number, value: unknown, nowMs: number): IdempotencyKeyRow {
    const text = value === undefined ? "" : JSON.stringify(value);
    return {
      actor_id: this.#actorId,
      idempotency_key: this.#key,
      fingerprint: this.#whole(),
      status,
      sealed_answer: this.#store.sealer.seal(Buffer.from(text)),
      created_at: nowMs,
    };
  }

  #opened(sealed: string): unknown {
    const text = Buffer.from(this.#store.sealer.open(sealed)).toString();
    return text === "" ? undefined : JSON.parse(text);
  }

  #whole(): string {
    this.#fingerprint ??= this.#hash.digest("hex");
    return this.#fingerprint;
  }
}
