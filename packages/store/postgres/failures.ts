import pg from "pg";

/** Another session has locked what the statement needs: it can be retried. None of it was done. */
export function isLocked(error: unknown): boolean {
  const code = sqlState(error);
  return code === "55P03" || code === "40P01" || code === "40001";
}

/** Whether the server ends the session with this error. Any other error leaves the connection as it was. */
export function endsSession(error: unknown): boolean {
  const code = sqlState(error);
  return code.startsWith("57P") || code.startsWith("08") || sessionTimeouts.has(code);
}

/** After a failover, a connection can still lead to a read-only server, while new ones find the writable one. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === "25006";
}

const sessionTimeouts: ReadonlySet<string> = new Set(["25P03", "25P04"]);

function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? "") : "";
}
