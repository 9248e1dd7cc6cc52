import type { TestDatabase } from "./databases.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { openTestOrganization, type TestOrganization } from "./test-organization.ts";

/** Several servers on one database. SQLite allows only one. */
export interface Nodes {
  readonly database: TestDatabase;
  readonly org: TestOrganization;
  readonly servers: readonly ServerProcess[];
  close(): Promise<void>;
}

export async function openNodes(
  make: () => Promise<TestDatabase>,
  count: number,
  options: Parameters<typeof openTestOrganization>[1] = {},
): Promise<Nodes> {
  const database = await make();
  const org = await openTestOrganization(database.location, options);
  const servers = await Promise.all(
    Array.from({ length: count }, () => startServerProcess(database.environment)),
  );
  return {
    database,
    org,
    servers,
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await org.store.close();
      database.remove();
    },
  };
}
