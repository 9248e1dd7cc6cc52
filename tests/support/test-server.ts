import { openStore } from "@countersign/store/databases/open";
import type { Store } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import type { Updateable } from "kysely";
import type { TestDatabase } from "./databases.ts";
import { freePort } from "./free-port.ts";
import { startServerProcess } from "./server-process.ts";
import { afterAllFiles } from "./shared-resources.ts";
import { changeRows, type Row, storedRows, type Where } from "./stored-rows.ts";

/** A server that only this file uses. */
export interface OwnServer {
  /** Why the shared server does not do. */
  readonly why: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A server in a separate process, with the settings that most tests need, and its database. */
export type TestServer = Awaited<ReturnType<typeof start>>;

const shared = new Map<() => Promise<TestDatabase>, Promise<TestServer>>();

/**
 * The server that the test files of a process share. Each test works in its own organizations, and reads and changes
 * nothing outside of them. Any other test needs its own server.
 */
export async function openServer(make: () => Promise<TestDatabase>, own?: OwnServer): Promise<TestServer> {
  if (own !== undefined) return start(make, own.environment ?? {});
  let running = shared.get(make);
  // The test runner kills its child processes when a test times out: the files after it get another server.
  if (running === undefined || (await running).server.hasEnded()) {
    running = start(make, {});
    const started = running;
    afterAllFiles.push(async () => (await started).close());
    shared.set(make, running);
  }
  return { ...(await running), close: async () => {} };
}

async function start(make: () => Promise<TestDatabase>, settings: Readonly<Record<string, string>>) {
  const database = await make();
  const port = settings.PORT ?? String(await freePort());
  const environment: Readonly<Record<string, string>> = {
    ...database.environment,
    PORT: port,
    // It knows its own URL, so that people can sign in to the dashboard and the portal.
    COUNTERSIGN_URL: `http://127.0.0.1:${port}`,
    // A test can send requests from any IP address.
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1",
    // Webhooks can be sent to receivers of the tests.
    COUNTERSIGN_WEBHOOK_ALLOW: "127.0.0.1",
    ...settings,
  };
  const server = await startServerProcess(environment);
  const encryptionKey = settings.COUNTERSIGN_ENCRYPTION_KEY ?? null;
  const store: Store = await openStore(database.location, { encryptionKey, durability: "standard" });
  return {
    database,
    environment,
    server,
    store,
    url: server.url,
    /** The stored rows with these values, sorted by their first column. A list stands for any of its values. */
    stored: <Table extends keyof Tables>(table: Table, where: Where<Row<Table>>) =>
      storedRows(store.reads, table, where),
    /** Changes columns of such rows. */
    change: <Table extends keyof Tables>(
      table: Table,
      where: Where<Row<Table>>,
      columns: Updateable<Tables[Table]>,
    ) => store.transaction((db) => changeRows(db, table, where, columns)),
    /** Leaves a shared server running. */
    close: async () => {
      await server.stop();
      await store.close();
      database.remove();
    },
  };
}
