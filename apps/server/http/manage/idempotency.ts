import { createHash } from "node:crypto";
import { keepAnswer, keptAnswer } from "@countersign/store/queries/idempotency";
import type { Database, Store } from "@countersign/store/store";
import { Problem } from "./problem.ts";

/** An answer given before to a request with the same key. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** One request that says by which key it may be repeated. */
export class Idempotency {
  readonly #store: Store;
  readonly #actorId: string;
  readonly #key: string;
  readonly #fingerprint: string;

  private constructor(store: Store, actorId: string, key: string, fingerprint: string) {
    this.#store = store;
    this.#actorId = actorId;
    this.#key = key;
    this.#fingerprint = fingerprint;
  }

  /** Null when the request has no `Idempotency-Key`. */
  static of(request: Request, body: string, store: Store, actorId: string): Idempotency | null {
    const key = request.headers.get("idempotency-key");
    if (key === null) return null;
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new Problem("malformed", "Idempotency-Key should have 1 to 255 visible ASCII characters.");
    }
    const url = new URL(request.url);
    const fingerprint = createHash("sha256")
      .update(`${request.method} ${url.pathname}${url.search}\n${body}`)
      .digest("hex");
    return new Idempotency(store, actorId, key, fingerprint);
  }

  /** What was answered before; refuses a key that was used for another request. */
  async answered(): Promise<KeptAnswer | null> {
    const kept = await keptAnswer(this.#store.reads, this.#actorId, this.#key);
    if (kept === undefined) return null;
    if (kept.fingerprint !== this.#fingerprint) {
      throw new Problem("conflict", "This Idempotency-Key was used for another request. Use a new one.");
    }
    const text = Buffer.from(this.#store.sealer.open(kept.sealed_answer)).toString();
    return { status: kept.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  /** Kept in the transaction that made the change: both happen, or neither. */
  async keep(db: Database, status: number, body: unknown, nowMs: number): Promise<void> {
    const text = body === undefined ? "" : JSON.stringify(body);
    await keepAnswer(db, {
      actor_id: this.#actorId,
      idempotency_key: this.#key,
      fingerprint: this.#fingerprint,
      status,
      sealed_answer: this.#store.sealer.seal(Buffer.from(text)),
      created_at: nowMs,
    });
  }
}
