import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, globSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder, postgresAt, sqlite, type TestedDatabase } from "./databases.ts";
import { freePort } from "./free-port.ts";
import { answers, freshDatabase } from "./postgres.ts";
import { startProgram, userInsteadOfRoot } from "./program.ts";
import { skipWithReason } from "./skip.ts";
import { until } from "./until.ts";

/** The databases that can be backed up here: always SQLite, and PostgreSQL if its client programs are installed. */
export function databasesWithBackup(suite: string): TestedDatabase[] {
  const programs = findPrograms();
  if (programs === undefined) {
    const how = "Install it (on Debian: apt-get install postgresql).";
    skipWithReason(`${suite} on postgres`, `it needs PostgreSQL with its pg_dump. ${how}`);
    return [sqlite];
  }
  const make = async () => {
    server ??= startWithPrograms(programs);
    const database = postgresAt(await freshDatabase(await server));
    const PATH = `${programs}:${process.env.PATH ?? ""}`;
    return { ...database, environment: { ...database.environment, PATH } };
  };
  return [sqlite, { kind: "postgres", make, makeEmpty: make }];
}

let server: Promise<string> | undefined;

/** The folder of a PostgreSQL with client programs of the same version, as Debian and Homebrew install it. */
function findPrograms(): string | undefined {
  const isComplete = (folder: string) =>
    globSync(join(folder, "{initdb,postgres,pg_dump,pg_restore,psql}")).length === 5;
  const majorOf = (folder: string) => Number(/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);
  const roots = "{/usr/lib/postgresql,/opt/homebrew/opt,/usr/local/opt}";
  const folders = globSync(`${roots}/*/bin/initdb`).map((program) => dirname(program));
  return folders.filter(isComplete).sort((a, b) => majorOf(b) - majorOf(a))[0];
}

/** Starts that PostgreSQL on a free port on loopback, until this process ends. Returns its URL. */
async function startWithPrograms(programs: string): Promise<string> {
  const folder = freshFolder();
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
  const words = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  startProgram(join(programs, "postgres"), words, { signal: "INT", folder, insteadOfRoot: "postgres" });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await until("PostgreSQL for the tests has started", () => answers(url));
  return url;
}
