import { join } from "node:path";
import pg from "pg";

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
}

/** A real PostgreSQL on a free port of loopback. It and its data go away with this process, however that ends. */
export async function startPostgres(
  { waitsForDisk }: { readonly waitsForDisk: boolean } = { waitsForDisk: false },
): Promise<PostgresServer> {
  const words = waitsForDisk ? ["--waits-for-disk"] : [];
  const daemon = Bun.spawn([process.execPath, join(import.meta.dir, "postgres-daemon.ts"), ...words], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    // In a group of its own, so that Ctrl-C ends the tests first and the database after them.
    detached: true,
  });
  daemon.unref();
  const output = daemon.stdout.getReader();
  // It answers every order with one short line, which a pipe never divides.
  const nextLine = async () => {
    const { done, value } = await output.read();
    if (done) throw new Error("PostgreSQL for the tests has ended.");
    return new TextDecoder().decode(value).trim();
  };
  const order = async (word: "stop" | "start") => {
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
  };
}

/** The server that the test run shares, or one of this process's own. */
export async function sharedPostgres(): Promise<string> {
  const shared = process.env.COUNTERSIGN_TEST_POSTGRES;
  if (shared !== undefined) return shared;
  own ??= startPostgres();
  return (await own).url;
}

let own: Promise<PostgresServer> | undefined;
let databases = 0;

/** A fresh, empty database; returns its address. */
export async function freshDatabase(serverUrl?: string): Promise<string> {
  const url = new URL(serverUrl ?? (await sharedPostgres()));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  databases += 1;
  const name = `t_${process.pid}_${databases}_${Math.random().toString(36).slice(2, 8)}`;
  await client.query(`create database ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}
