import pg from "pg";

/** Another session that holds a lock for as long as the test wants, like a paused node or an idle terminal. */
export async function holdLock(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("begin");
  await client.query(statement);
  return {
    /** Whether a session waits for the lock. */
    isWaitedFor: async (): Promise<boolean> => {
      const { rowCount } = await client.query(
        "select 1 from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))",
      );
      return rowCount !== 0;
    },
    release: async (): Promise<void> => {
      await client.query("rollback");
      await client.end();
    },
  };
}
