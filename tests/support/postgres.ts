import { join } from "node:path";
import { migrateDatabase } from "@countersign/store/postgres/migrate";
import pg from "pg";

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /** Kills it for good, without a shutdown. */
  kill(): Promise<void>;
}

/**
 * A real PostgreSQL on a free port on loopback. It and its data are gone when this process ends, however that
 * happens.
 */
export async function startPostgres({
  waitsForDisk = false,
  connections = 400,
  standbyOf,
}: {
  readonly waitsForDisk?: boolean;
  readonly connections?: number;
  /** Starts a streaming standby of this server. */
  readonly standbyOf?: PostgresServer;
} = {}): Promise<PostgresServer> {
  const words = [
    `--connections=${connections}`,
    ...(waitsForDisk ? ["--waits-for-disk"] : []),
    ...(standbyOf === undefined ? [] : [`--standby-of=${standbyOf.url}`]),
  ];
  const daemon = Bun.spawn([process.execPath, join(import.meta.dir, "postgres-daemon.ts"), ...words], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    // A separate process group, so that Ctrl-C ends the tests before the database.
    detached: true,
  });
  daemon.unref();
  const output = daemon.stdout.getReader();
  // It answers every command with one short line, which a pipe never splits.
  const nextLine = async () => {
    const { done, value } = await output.read();
    if (done) throw new Error("PostgreSQL for the tests has ended.");
    return new TextDecoder().decode(value).trim();
  };
  const order = async (word: "stop" | "start" | "kill") => {
    daemon.stdin.write(`${word}\n`);
    daemon.stdin.flush();
    await nextLine();
  };
  const port = Number(await nextLine());
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    stop: () => order("stop"),
    start: () => order("start"),
    kill: () => order("kill"),
  };
}

/** The server that the test run shares, or one for this process. */
export async function sharedPostgres(): Promise<string> {
  const shared = process.env.COUNTERSIGN_TEST_POSTGRES;
  if (shared !== undefined) return shared;
  own ??= startPostgres();
  return (await own).url;
}

let own: Promise<PostgresServer> | undefined;
let template: Promise<void> | undefined;
let databases = 0;

/** A new, empty database. Returns its URL. */
export async function freshDatabase(serverUrl?: string): Promise<string> {
  return create(serverUrl ?? (await sharedPostgres()), "template1");
}

/** A new database with all tables and no rows. Copied from a template that is migrated once, which is much faster. */
export async function migratedDatabase(): Promise<string> {
  const url = await sharedPostgres();
  template ??= makeTemplate(url);
  await template;
  return create(url, templateName);
}

const templateName = "countersign_migrated";
/** An arbitrary lock number. Its holder creates the template, and the others wait. */
const templateLock = 1;

/** Parallel test files share one server, so the first one creates the template for all. */
async function makeTemplate(serverUrl: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query("select pg_advisory_lock($1)", [templateLock]);
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [templateName]);
    if (rowCount !== 0) return;
    const url = new URL(await create(serverUrl, "template1"));
    await migrateDatabase(url.href);
    // It gets its name when it is complete, so that no one uses an incomplete template.
    await client.query(`alter database ${url.pathname.slice(1)} rename to ${templateName}`);
  });
}

async function create(serverUrl: string, from: string): Promise<string> {
  const url = new URL(serverUrl);
  databases += 1;
  const name = `t_${process.pid}_${databases}_${Math.random().toString(36).slice(2, 8)}`;
  await withClient(serverUrl, (client) => client.query(`create database ${name} template ${from}`));
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs queries on a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Whether a server accepts connections and queries there. */
export async function answers(url: string): Promise<boolean> {
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
