import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "./free-port.ts";

export interface PostgresWithPrograms {
  readonly url: string;
  /** The folder of its pg_dump, pg_restore and psql. */
  readonly programs: string;
  stop(): Promise<void>;
}

const needed = ["initdb", "postgres", "pg_dump", "pg_restore", "psql"];

/** The folder of a PostgreSQL with client programs of the same version, as Debian and Homebrew install it. */
export function findPrograms(): string | null {
  const roots = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];
  const folders = roots.flatMap((root) =>
    existsSync(root) ? readdirSync(root).map((name) => join(root, name, "bin")) : [],
  );
  const complete = folders.filter((folder) => needed.every((program) => existsSync(join(folder, program))));
  return complete.sort((a, b) => majorOf(b) - majorOf(a))[0] ?? null;
}

/** Starts that PostgreSQL on a free port on loopback. It stops with this process, however that ends. */
export async function startPostgresWithPrograms(programs: string): Promise<PostgresWithPrograms> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
  const data = join(folder, "data");
  const user: { uid?: number; gid?: number } = process.getuid?.() === 0 ? postgresUser() : {};
  mkdirSync(data, { mode: 0o700 });
  // PostgreSQL refuses to run as root, which containers and CI often use.
  chmodSync(folder, 0o755);
  if (user.uid !== undefined) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, folder]);
  const flags = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(programs, "initdb"), [`--pgdata=${data}`, ...flags], {
    ...user,
    stdio: "ignore",
    cwd: folder,
  });
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"].flatMap((s) => [
    "-c",
    s,
  ]);
  const command = [join(programs, "postgres"), "-D", data, "-p", String(port), ...settings];
  const server = spawn("sh", ["-c", keepUntilInputCloses, "sh", folder, ...command], {
    ...user,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: folder,
    detached: true,
  });
  server.unref();
  const ended = new Promise((resolve) => server.on("close", resolve));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await answering(url);
  return {
    url,
    programs,
    stop: async () => {
      server.stdin.end();
      await ended;
    },
  };
}

/**
 * Stops the server and removes its folder when standard input closes, which the operating system ensures. The watcher
 * is a separate process, because the test runner kills its own children when a test times out.
 */
const keepUntilInputCloses = `
  folder=$1; shift
  exec 3<&0
  "$@" & server=$!
  (
    cat <&3 > /dev/null
    kill -INT $server
    while kill -0 $server 2> /dev/null; do sleep 0.1; done
    cd / && rm -rf "$folder"
  ) &
  wait
`;

function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("PostgreSQL for the tests did not start.");
}

function majorOf(folder: string): number {
  return Number(/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);
}
