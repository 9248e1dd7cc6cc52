import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { answers } from "./postgres.ts";
import { startProgram } from "./program.ts";
import { until } from "./until.ts";

export type PoolMode = "session" | "transaction" | "statement";

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

/** Null if PgBouncer is installed, otherwise what to install. */
export function whyNoPgBouncer(): string | null {
  const { error } = spawnSync("pgbouncer", ["--version"], { stdio: "ignore" });
  return error === undefined
    ? null
    : "it needs PgBouncer. Install it (on Debian: apt-get install pgbouncer).";
}

/** PgBouncer with its default settings in front of a PostgreSQL of the tests. */
export async function startPgBouncer(postgresUrl: string, mode: PoolMode, poolSize = 6) {
  const { port: postgresPort, username, password } = new URL(postgresUrl);
  const folder = mkdtempSync(join(tmpdir(), "countersign-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${postgresPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
`,
  );
  const program = startProgram("pgbouncer", ["--quiet", settings], { insteadOfRoot: "nobody" });
  /** The same database through the pooler. */
  const through = (url: string) => Object.assign(new URL(url), { port: String(port) }).href;
  await until("PgBouncer answers", () => answers(through(postgresUrl)));
  // PgBouncer has read its settings, and as another user it could not remove them.
  rmSync(folder, { recursive: true, force: true });
  return { through, stop: program.stop };
}
