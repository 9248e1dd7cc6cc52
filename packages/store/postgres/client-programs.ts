import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { errorSentence, StoreProblem } from "../errors/problem.ts";
import { parsePostgresUrl } from "./url.ts";

type Program = "pg_dump" | "pg_restore" | "psql";

/** PostgreSQL's own programs, run against one database. Its URL and password never appear on a command line. */
export class Programs {
  readonly #environment: Readonly<Record<string, string | undefined>>;

  constructor(url: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = {
      ...environment,
      ...libpqEnvironment(url),
      PGAPPNAME: "countersign-backup",
      LC_ALL: "C",
    };
  }

  /** pg_dump rejects a server that is newer than itself; this reports it early, and what to install. */
  async atLeast(program: Program, serverMajor: number): Promise<void> {
    let version = "";
    await this.lines(program, ["--version"], (line) => {
      version += line;
    });
    const major = Number(/(\d+)/.exec(version)?.[1] ?? 0);
    if (major >= serverMajor) return;
    throw new StoreProblem(
      `The database is PostgreSQL ${serverMajor}, but the ${program} on the PATH is version ${major}. ${howToInstall(serverMajor)}`,
    );
  }

  async run(program: Program, programArgs: readonly string[]): Promise<void> {
    await this.lines(program, programArgs, () => {});
  }

  async lines(
    program: Program,
    programArgs: readonly string[],
    onLine: (line: string) => void,
  ): Promise<void> {
    const child = this.#start(program, programArgs);
    child.stdin?.end();
    if (child.stdout !== null) createInterface({ input: child.stdout }).on("line", onLine);
    await finished(program, child);
  }

  /** Runs the SQL that a program prints, between statements of ours. The last one runs only if the program succeeded. */
  async script(
    program: Program,
    programArgs: readonly string[],
    around: { readonly before: readonly string[]; readonly after: readonly string[] },
  ): Promise<void> {
    const psql = this.#start("psql", ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-"]);
    psql.stdin?.on("error", () => {
      // It exited early; its exit code says why.
    });
    const done = finished("psql", psql);
    done.catch(() => {});
    psql.stdout?.resume();
    psql.stdin?.write(statements(around.before));
    const source = this.#start(program, programArgs);
    source.stdin?.end();
    try {
      await Promise.all([finished(program, source), feed(source.stdout, psql)]);
      psql.stdin?.write(statements(around.after));
    } finally {
      psql.stdin?.end();
    }
    await done;
  }

  #start(program: Program, programArgs: readonly string[]): ChildProcess {
    return spawn(program, programArgs, {
      env: this.#environment as NodeJS.ProcessEnv,
      stdio: ["pipe", "pipe", "pipe"],
    });
  }
}

function statements(list: readonly string[]): string {
  return list.map((statement) => `${statement};\n`).join("");
}

async function feed(from: Readable | null, psql: ChildProcess): Promise<void> {
  for await (const chunk of from ?? []) {
    // Once psql has failed, the rest is only read so that the source can finish.
    if (psql.stdin?.writable && psql.exitCode === null && !psql.stdin.write(chunk)) {
      await Promise.race([once(psql.stdin, "drain"), once(psql, "close")]);
    }
  }
}

async function finished(program: Program, child: ChildProcess): Promise<void> {
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint = `${complaint}${chunk}`.slice(0, 2_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", (cause) => reject(notStarted(program, cause)));
    child.on("close", resolve);
  });
  if (code === 0) return;
  const first =
    complaint.split("\n").find((line) => /error|fatal/i.test(line)) ?? complaint.split("\n")[0] ?? "";
  throw new StoreProblem(
    `${program} failed and nothing was changed: ${errorSentence(first.trim() || `it ended with ${code}`)} ${sameVersion}`,
  );
}

const sameVersion = "If it speaks of a version, install the client programs in the database's own.";

function notStarted(program: Program, cause: unknown): StoreProblem {
  const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
  const what = missing
    ? `${program} is not on the PATH.`
    : `${program} cannot be run: ${errorSentence(cause)}`;
  return new StoreProblem(`${what} ${howToInstall(null)}`, { cause });
}

function howToInstall(major: number | null): string {
  const wanted = major === null ? "the database's version" : `version ${major} or newer`;
  const debian = major === null ? "postgresql-client" : `postgresql-client-${major}`;
  return `Install PostgreSQL's client programs in ${wanted} (on Debian and Ubuntu: apt install ${debian}) and put them first on the PATH.`;
}

/** The database URL as environment variables for PostgreSQL's own programs. */
export function libpqEnvironment(address: string): Record<string, string> {
  const { url: single, hosts, target } = parsePostgresUrl(address);
  const url = new URL(single);
  const variables: Record<string, string> = {};
  const set = (name: string, value: string) => {
    if (value !== "") variables[name] = value;
  };
  set("PGHOST", hosts.map(({ host }) => host).join());
  if (hosts.some(({ port }) => port !== null)) set("PGPORT", hosts.map(({ port }) => port ?? "").join());
  // Each program selects the host itself, and must select the same one as the server.
  if (target !== "any") set("PGTARGETSESSIONATTRS", target);
  set("PGUSER", decodeURIComponent(url.username));
  set("PGPASSWORD", decodeURIComponent(url.password));
  set("PGDATABASE", decodeURIComponent(url.pathname.slice(1)));
  for (const [name, value] of url.searchParams) {
    const variable = queryVariables.get(name);
    if (variable !== undefined) set(variable, value);
  }
  if (/^(1|true)$/.test(url.searchParams.get("ssl") ?? "")) set("PGSSLMODE", "require");
  // The Node.js driver's name for what `require` means in PostgreSQL's programs.
  if (variables.PGSSLMODE === "no-verify") variables.PGSSLMODE = "require";
  return variables;
}

const queryVariables: ReadonlyMap<string, string> = new Map([
  ["user", "PGUSER"],
  ["password", "PGPASSWORD"],
  ["dbname", "PGDATABASE"],
  ["sslmode", "PGSSLMODE"],
  ["sslrootcert", "PGSSLROOTCERT"],
  ["sslcert", "PGSSLCERT"],
  ["sslkey", "PGSSLKEY"],
]);
