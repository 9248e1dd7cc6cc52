import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { answers } from "./postgres.ts";
import { startProgram, userInsteadOfRoot } from "./program.ts";
import { until } from "./until.ts";

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

/** Starts that PostgreSQL on a free port on loopback, until this process ends. Returns its URL. */
export async function startPostgresWithPrograms(programs: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  // PostgreSQL's user must be able to enter the folder, and to remove it.
  chmodSync(folder, 0o755);
  const user = userInsteadOfRoot("postgres");
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const flags = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const options = { ...user, stdio: "ignore", cwd: folder } as const;
  execFileSync(join(programs, "initdb"), [`--pgdata=${data}`, ...flags], options);
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
  startProgram(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    { signal: "INT", folder, insteadOfRoot: "postgres" },
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await until("PostgreSQL for the tests has started", () => answers(url));
  return url;
}

function majorOf(folder: string): number {
  return Number(/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);
}
