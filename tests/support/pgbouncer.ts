import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

export type PoolMode = "session" | "transaction" | "statement";

export interface PgBouncer {
  /** The same database through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Null if PgBouncer is installed, otherwise what to install. */
export function whyNoPgBouncer(): string | null {
  const { error } = spawnSync("pgbouncer", ["--version"], { stdio: "ignore" });
  return error === undefined ? null : "PgBouncer is missing (on Debian and Ubuntu: apt install pgbouncer)";
}

/** PgBouncer with its default settings in front of a PostgreSQL of the tests. It exits with this process. */
export async function startPgBouncer(postgresUrl: string, mode: PoolMode, poolSize = 6): Promise<PgBouncer> {
  const server = new URL(postgresUrl);
  const folder = mkdtempSync(join(tmpdir(), "countersign-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
`,
  );
  // PgBouncer refuses to run as root, which containers and CI often use.
  const user = process.getuid?.() === 0 ? anonymous() : {};
  const child = spawn("sh", ["-c", untilInputCloses, "sh", "pgbouncer", "--quiet", settings], {
    ...user,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    detached: true,
  });
  child.unref();
  const ended = new Promise((resolve) => child.on("close", resolve));
  const through = (url: string) => {
    const address = new URL(url);
    address.port = String(port);
    return address.href;
  };
  await until("PgBouncer answers", () => answers(through(postgresUrl)));
  // PgBouncer has read its settings, and as another user it could not remove them.
  rmSync(folder, { recursive: true, force: true });
  return {
    through,
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** Stops it when standard input closes, which the operating system ensures however this process ends. */
const untilInputCloses = `
  exec 3<&0
  "$@" & pooler=$!
  ( cat <&3 > /dev/null; kill -9 $pooler ) &
  wait $pooler
`;

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    client.connection.stream.destroy();
  }
}

function anonymous(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
