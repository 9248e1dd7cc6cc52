import type pg from "pg";
import { StorageUnavailable } from "../errors/problem.ts";
import { observeSlow, type SlowStatementObserver } from "../threads/slow-statements.ts";
import { spendsConnection, storageError, unavailable } from "./errors.ts";
import { cutConnections } from "./pools.ts";

/**
 * For Kysely: turns errors of the database itself into `StorageUnavailable`, and does not return broken connections to
 * the pool. If the database is silent, all of its connections are cut.
 */
interface KyselyPool {
  connect(): Promise<KyselyClient>;
  end(): Promise<void>;
}

interface KyselyClient {
  query(...given: never[]): never;
  release(): void;
}

export function guardedPool(pool: pg.Pool, watch: SilenceWatch, slow?: SlowStatementObserver): KyselyPool {
  watch.onSilence(() => cutConnections(pool));
  return {
    connect: async () => {
      let connecting: Promise<pg.PoolClient> | null = null;
      const connect = () => {
        connecting = pool.connect();
        return connecting;
      };
      const client = await watch.during(connect).catch((error) => {
        // It may still be opened, and then nobody uses it.
        connecting?.then((late) => late.release(true)).catch(() => {});
        throw storageError(error);
      });
      let isSpent = false;
      const query = async (text: string, values: unknown[]) => {
        const startMs = performance.now();
        try {
          return await watch.during(() => client.query(text, values));
        } catch (error) {
          isSpent ||= spendsConnection(error) || error instanceof StorageUnavailable;
          throw storageError(error);
        } finally {
          observeSlow(slow, text, startMs);
        }
      };
      return { query: query as never, release: () => client.release(isSpent) };
    },
    end: () => pool.end(),
  };
}

/** A statement without an answer for this long is a reason to ask whether PostgreSQL answers at all. */
const doubtAfterMs = 1_000;
const retryAfterMs = 250;

/**
 * Notices that PostgreSQL is silent: connections are open, and nothing answers. Then every connection is cut, because
 * each would wait for as long as its statement may take, and statements are refused at once until the probe succeeds.
 */
export class SilenceWatch {
  readonly #probe: () => Promise<void>;
  readonly #cuts = new Set<() => void>();
  #isSilent = false;
  #isAsking = false;
  #isClosed = false;
  #silence = unobserved();

  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  /** Called when all connections are to be cut. */
  onSilence(cut: () => void): void {
    this.#cuts.add(cut);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Rejects when PostgreSQL turns out to be silent, or at once if it is known to be. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isSilent) throw silent();
    const doubt = setInterval(() => void this.#ask(), doubtAfterMs);
    doubt.unref();
    try {
      return await Promise.race([work(), this.#silence.promise]);
    } finally {
      clearInterval(doubt);
    }
  }

  /** Until it is known that PostgreSQL answers. */
  async #ask(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return;
    this.#isAsking = true;
    while (!this.#isClosed && !(await this.#answers())) {
      if (!this.#isSilent) this.#begin();
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs).unref());
    }
    this.#isSilent = false;
    this.#isAsking = false;
  }

  /** A refusal for another reason, such as a lock, is an answer. */
  async #answers(): Promise<boolean> {
    try {
      await this.#probe();
      return true;
    } catch (error) {
      return unavailable(error).reason !== "unreachable";
    }
  }

  #begin(): void {
    this.#isSilent = true;
    for (const cut of this.#cuts) cut();
    this.#silence.reject(silent());
    this.#silence = unobserved();
  }
}

function silent(): StorageUnavailable {
  return new StorageUnavailable("PostgreSQL did not answer.", { reason: "unreachable" });
}

function unobserved(): PromiseWithResolvers<never> {
  const outcome = Promise.withResolvers<never>();
  outcome.promise.catch(() => {});
  return outcome;
}
