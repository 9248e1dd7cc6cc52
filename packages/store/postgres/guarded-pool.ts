import type pg from "pg";
import { spendsConnection, storageError } from "./errors.ts";

/**
 * For Kysely: turns errors of the database itself into `StorageUnavailable`, and does not return broken connections to
 * the pool.
 */
export interface KyselyPool {
  connect(): Promise<KyselyClient>;
  end(): Promise<void>;
}

interface KyselyClient {
  query(...given: never[]): never;
  release(): void;
}

export function guardedPool(pool: pg.Pool): KyselyPool {
  return {
    connect: async () => {
      const client = await pool.connect().catch((error) => {
        throw storageError(error);
      });
      let isSpent = false;
      const query = async (text: string, values: unknown[]) => {
        try {
          return await client.query(text, values);
        } catch (error) {
          isSpent ||= spendsConnection(error);
          throw storageError(error);
        }
      };
      return { query: query as never, release: () => client.release(isSpent) };
    },
    end: () => pool.end(),
  };
}
