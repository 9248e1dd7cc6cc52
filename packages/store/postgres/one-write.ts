import type pg from "pg";

/**
 * Sends everything that `ask` requests together, so that neither side wakes up once per statement. A transaction sent
 * this way completes on the server without this process, which can be paused at any moment.
 */
export function inOneWrite<T>(client: pg.Client, ask: () => T): T {
  const { stream } = client.connection;
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}
