import type pg from "pg";

/**
 * Sends what `ask` asks together, so that neither side is woken up once for each statement. A transaction that is sent
 * in this way ends on the server without this process, which may be paused at any moment.
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
