import type pg from "pg";
import { StorageUnavailable } from "../errors/problem.ts";
import { observeSlow, type SlowStatementObserver } from "../threads/slow-statements.ts";
import { spendsConnection, storageError } from "./errors.ts";
import { cutConnections } from "./pools.ts";
import type { SilenceWatch } from "./silence.ts";

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
