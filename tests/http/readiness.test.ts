import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chownSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type Api, apiOf } from "../support/api.ts";
import { freshFolder } from "../support/databases.ts";
import { freshDatabase, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { freezePostgres } from "../support/postgres-processes.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { skipWithReason } from "../support/skip.ts";
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from "../support/small-disk.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

describe("readiness on PostgreSQL", () => {
  const mostConnections = 25;
  let postgres: PostgresServer;
  let url: string;
  let server: ServerProcess;
  let api: Api;
  let keys: readonly string[];
  let licenseId: string;
  beforeAll(async () => {
    postgres = await startPostgres({ connections: mostConnections });
    url = await freshDatabase(postgres.url);
    const org = await openTestOrganization({ kind: "postgres", url });
    const licenses = await Promise.all([org.license(), org.license()]);
    keys = licenses.map(({ key }) => key);
    licenseId = licenses[0]?.id ?? "";
    await org.store.close();
    server = await startServerProcess({ DATABASE_URL: url });
    api = apiOf(server.url, org.apiKey);
  });
  afterAll(async () => {
    await server.stop();
    await postgres.stop();
  });

  test("150 polling clients take no connections and no capacity from validations", async () => {
    let isOver = false;
    let polled = 0;
    const poll = async (path: string) => {
      while (!isOver) {
        const answer = await fetch(server.url + path);
        await answer.arrayBuffer();
        polled += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const polling = Array.from({ length: 150 }, (_, index) =>
      poll(["/readyz", "/healthz", "/metrics"][index % 3] ?? ""),
    );
    const statuses = new Map<number, number>();
    let most = 0;
    await connected(url, async (client) => {
      for (let round = 0; round < 100; round++) {
        const { status } = await api.validate({ license_key: keys[1] });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const { rows } = await client.query<{ count: number }>(
          "select count(*)::int as count from pg_stat_activity where application_name like 'countersign%'",
        );
        most = Math.max(most, rows[0]?.count ?? 0);
      }
    });
    isOver = true;
    await Promise.all(polling);
    expect([...statuses]).toEqual([[200, 100]]);
    expect(polled).toBeGreaterThan(150);
    expect(most).toBeLessThan(mostConnections - 5);
  });

  test("the connections for validations are open before the first validation", async () => {
    const second = await startServerProcess({ DATABASE_URL: url });
    await connected(url, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::int as count from pg_stat_activity where application_name = 'countersign'",
      );
      expect(rows[0]?.count).toBeGreaterThanOrEqual(4);
    });
    await second.stop();
  });

  test("is withdrawn while the counters are locked, and returns", async () => {
    await connected(url, async (client) => {
      await client.query("begin; lock table daily_usage in exclusive mode");
      await becomes(server, 503);
      expect((await api.validate({ license_key: keys[1] })).status).toBe(503);
      await client.query("rollback");
    });
    await becomes(server, 200);
    await until(
      "validations are answered",
      async () => (await api.validate({ license_key: keys[1] })).status === 200,
    );
  });

  test("is withdrawn while PostgreSQL is paused, and returns", async () => {
    const frozen = await freezePostgres(postgres.url);
    await becomes(server, 503);
    expect((await api.validate({ license_key: keys[1] })).status).toBe(503);
    frozen.thaw();
    await becomes(server, 200);
    await until(
      "validations are answered",
      async () => (await api.validate({ license_key: keys[1] })).status === 200,
    );
  });

  test("remains while one license is locked", async () => {
    await connected(url, async (client) => {
      await client.query("begin");
      await client.query("select 1 from licenses where id = $1 for update", [licenseId]);
      const validated = api.validate({ license_key: keys[0] });
      const endMs = performance.now() + 4_000;
      while (performance.now() < endMs) {
        expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await validated;
      await client.query("rollback");
    });
  });

  test("changes are logged in both directions", () => {
    expect(server.output()).toContain("Validations cannot be answered. The server is not ready.");
    expect(server.output()).toContain("Validations can be answered again. The server is ready.");
  });
});

const noDisk = whyNoSmallDisk();

describe("readiness on PostgreSQL with a separate disk", () => {
  if (noDisk !== null) {
    skipWithReason("readiness is withdrawn while PostgreSQL's disk is full", noDisk);
    return;
  }

  test("is withdrawn while the disk is full, even without validations, and returns", async () => {
    const disk = mountSmallDisk(64);
    const postgres = await startPostgres();
    const url = await databaseOn(disk, postgres);
    const org = await openTestOrganization({ kind: "postgres", url });
    const { key } = await org.license();
    await org.store.close();
    const server = await startServerProcess({ DATABASE_URL: url });
    try {
      const validate = async () =>
        (await apiOf(server.url, org.apiKey).validate({ license_key: key })).status;
      expect(await validate()).toBe(200);
      await becomes(server, 200);
      await connected(url, async (client) => {
        // An open snapshot retains old row versions, so that every count needs more disk space.
        await client.query("begin isolation level repeatable read; select 1 from products");
        disk.fill();
        await until("validations fail closed", async () => (await validate()) === 503, 60_000);
        await becomes(server, 503);
        // Longer than a failed batch affects readiness. A load balancer sends no validations in this state.
        const endMs = performance.now() + 6_500;
        while (performance.now() < endMs) {
          expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        expect(await validate()).toBe(503);
        disk.free();
        await becomes(server, 200);
        expect(await validate()).toBe(200);
      });
      expect(server.output()).toContain("PostgreSQL has no space left.");
    } finally {
      await server.stop();
      await postgres.stop();
      disk.remove();
    }
  });
});

describe("readiness on SQLite", () => {
  test("is withdrawn while another program locks the database, and returns", async () => {
    const folder = freshFolder();
    const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
    await becomes(server, 200);
    const other = new DatabaseSync(join(folder, "countersign.db"));
    other.exec("pragma busy_timeout = 5000; begin immediate");
    await becomes(server, 503);
    other.exec("rollback");
    other.close();
    await becomes(server, 200);
    await server.stop();
  });

  test("is withdrawn when the database file is gone", async () => {
    const folder = freshFolder();
    const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
    const file = join(folder, "countersign.db");
    renameSync(file, `${file}.away`);
    await becomes(server, 503);
    renameSync(`${file}.away`, file);
    await becomes(server, 200);
    await server.stop();
  });

  if (noDisk !== null) skipWithReason("readiness is withdrawn while the disk is full", noDisk);
  else
    test("is withdrawn while the disk is full, even without validations, and returns", async () => {
      const disk = mountSmallDisk();
      const folder = join(disk.folder, "data");
      mkdirSync(folder);
      const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
      try {
        await becomes(server, 200);
        disk.fill();
        await becomes(server, 503);
        disk.free();
        await becomes(server, 200);
      } finally {
        await server.stop();
        disk.remove();
      }
    });
});

/** A database whose tables are on that disk. The write-ahead log is elsewhere. Returns its URL. */
async function databaseOn(disk: SmallDisk, postgres: PostgresServer): Promise<string> {
  const url = new URL(postgres.url);
  const folder = join(disk.folder, "tables");
  mkdirSync(folder);
  await connected(postgres.url, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>("show data_directory");
    const { uid, gid } = statSync(rows[0]?.data_directory ?? "");
    chownSync(folder, uid, gid);
    await client.query(`create tablespace small location '${folder}'`);
    await client.query("create database on_small_disk tablespace small");
  });
  url.pathname = "/on_small_disk";
  return url.href;
}

async function becomes(server: ServerProcess, status: number): Promise<void> {
  await until(
    `/readyz answers ${status}`,
    async () => (await fetch(`${server.url}/readyz`)).status === status,
    15_000,
  );
}

async function connected(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
