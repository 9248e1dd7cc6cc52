import { createHash, type Hash } from "node:crypto";
import { storedAnswer, storeNew, storeOver } from "@countersign/store/queries/api/idempotency";
import type { Database, Store } from "@countersign/store/store";
import type { IdempotencyKeyRow } from "@countersign/store/tables/platform";
import { Problem } from "../http/problem.ts";

/** A stored response to a request with the same key. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The same request is being processed elsewhere, and is further ahead there. What was done here is rolled back. */
export class Superseded extends Error {
  override readonly name = "Overtaken";
}

/** In place of a status, while the request has no response yet: the encrypted value is then its progress. */
const unanswered = 0;

/** Null if the request has no `Idempotency-Key`. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem("invalid_idempotency_key");
}

/** One request with an idempotency key. */
export class Idempotency {
  readonly #store: Store;
  readonly #actorId: string;
  readonly #key: string;
  readonly #hash: Hash;
  #fingerprint: string | null = null;
  /** The encrypted progress of the request, as far as it is known here; null if nothing is stored. */
  #sealedProgress: string | null = null;

  /** `request` is everything that identifies a request, as far as it is known by now. */
  constructor(store: Store, actorId: string, key: string, request: string) {
    this.#store = store;
    this.#actorId = actorId;
    this.#key = key;
    this.#hash = createHash("sha256").update(request);
  }

  /** A streamed body is part of the request too. Its hash is known once it was read completely. */
  async *reading(body: AsyncIterable<Uint8Array>, type: string): AsyncGenerator<Uint8Array, void> {
    this.#hash.update(`${type}\n`);
    for await (const chunk of body) {
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  /** The stored response; rejects a key that was used for another request. */
  async answered(): Promise<StoredAnswer | null> {
    const kept = await storedAnswer(this.#store.reads, this.#actorId, this.#key);
    this.#sealedProgress = null;
    if (kept === undefined) return null;
    if (kept.fingerprint !== this.#whole()) {
      throw new Problem("idempotency_key_reused");
    }
    if (kept.status === unanswered) {
      this.#sealedProgress = kept.sealed_answer;
      return null;
    }
    return { status: kept.status, body: this.#opened(kept.sealed_answer) };
  }

  /** Stored in the transaction that makes the change: both happen, or neither. */
  async keep(db: Database, status: number, body: unknown, nowMs: number): Promise<void> {
    await this.#write(db, this.#row(status, body, nowMs));
  }

  /**
   * The same for a response that is known in advance and can be large: it is encrypted before the transaction starts.
   */
  async storeAlone(status: number, body: unknown, nowMs: number): Promise<void> {
    const row = this.#row(status, body, nowMs);
    await this.#store.transaction((db) => this.#write(db, row));
  }

  /** What the last step of this request, or of an earlier attempt, stored; null before the first. */
  progress(): unknown {
    return this.#sealedProgress === null ? null : this.#opened(this.#sealedProgress);
  }

  /**
   * One of several transactions. The result of `work` is stored in it as the progress of the request, and returned,
   * unless another attempt of the same request was faster: then that one's progress is.
   */
  async step<T>(work: (db: Database) => Promise<T>, nowMs: number): Promise<T> {
    let sealed = "";
    const value = await this.#store.transaction(async (db) => {
      // Another attempt at this step waits here, and learns that it is done before doing it again.
      const claim = this.#row(unanswered, null, nowMs);
      await this.#write(db, claim);
      const done = await work(db);
      const row = this.#row(unanswered, done, nowMs);
      if (!(await storeOver(db, row, claim.sealed_answer))) throw new Superseded();
      sealed = row.sealed_answer;
      return done;
    });
    this.#sealedProgress = sealed;
    return value;
  }

  async #write(db: Database, row: IdempotencyKeyRow): Promise<void> {
    const before = this.#sealedProgress;
    const isWritten = before === null ? await storeNew(db, row) : await storeOver(db, row, before);
    if (!isWritten) throw new Superseded("The same request is in progress.");
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
