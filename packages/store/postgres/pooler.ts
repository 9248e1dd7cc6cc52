import { PostgresClient } from "./client.ts";
import { checkTransactions, connectionSettings } from "./connect.ts";

/** What is between this process and PostgreSQL. */
type Pooler = "none" | "session" | "transaction";

const rounds = 20;

/**
 * Checks in turn which PostgreSQL process answers two connections. A pooler in session mode always gives each its own;
 * one that shares connections gives the one that was just freed to the next query.
 */
export async function detectPooler(client: PostgresClient, url: string): Promise<Pooler> {
  if (!client.isPooled) return "none";
  await checkTransactions(client);
  const other = new PostgresClient({
    ...connectionSettings(url),
    application_name: "countersign-pooler-check",
  });
  other.on("error", () => {});
  try {
    await other.connect();
    const own = await processOf(client);
    const others = await processOf(other);
    for (let round = 0; round < rounds; round++) {
      if ((await processOf(client)) !== own || (await processOf(other)) !== others) return "transaction";
      if (own === others) return "transaction";
    }
    return "session";
  } finally {
    await other.end().catch(() => undefined);
  }
}

async function processOf(client: PostgresClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}
