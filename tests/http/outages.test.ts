import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { generateApiKey } from "@countersign/domain/products/api-key";
import { addApiKey } from "@countersign/store/queries/products/products";
import { type Api, apiOf } from "../support/api.ts";
import { openCuttableConnection } from "../support/cuttable-connection.ts";
import { freshFolder } from "../support/databases.ts";
import { freePort } from "../support/free-port.ts";
import {
  freshDatabase,
  type PostgresServer,
  sharedPostgres,
  startPostgres,
  withClient,
} from "../support/postgres.ts";
import { freezePostgres } from "../support/postgres-processes.ts";
import { runCountersign, type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { skipWithReason } from "../support/skip.ts";
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from "../support/small-disk.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

const noDisk = whyNoSmallDisk();
const testWithDisk = (name: string, run: () => Promise<void>) =>
  noDisk === null ? test(name, run) : skipWithReason(name, noDisk);

/** Is frozen, stopped and made read-only, which the shared one cannot be. */
let postgres: PostgresServer;
const disks: SmallDisk[] = [];
beforeAll(async () => {
  postgres = await startPostgres({ connections: 80 });
});
afterAll(async () => {
  await postgres.stop();
  for (const disk of disks) disk.remove();
});

/** Null if this machine cannot mount one. */
function mountDisk(megabytes: number): SmallDisk | null {
  if (noDisk !== null) return null;
  const disk = mountSmallDisk(megabytes);
  disks.push(disk);
  return disk;
}

/**
 * Two servers with the same license, one of them read-only, in every order. tests/faults/fail-over.ts has a real standby
 * that takes over.
 */
describe("two hosts of PostgreSQL", () => {
  const apiKey = generateApiKey(randomBytes);
  const licenseKey = "ON-BOTH-HOSTS";
  const readOnly = "default_transaction_read_only";
  /** The same database on both hosts. */
  let [first, second] = ["", ""];
  let wire: Awaited<ReturnType<typeof openCuttableConnection>>;
  beforeAll(async () => {
    first = await freshDatabase(await sharedPostgres());
    wire = await openCuttableConnection(Number(new URL(first).port));
    const { pathname } = new URL(first);
    await withClient(postgres.url, (client) => client.query(`create database ${pathname.slice(1)}`));
    second = postgres.url.replace(/\/postgres$/, pathname);
    for (const url of [first, second]) {
      const org = await openTestOrganization({ kind: "postgres", url });
      await org.license({ key: licenseKey });
      await org.store.transaction((db) => addApiKey(db, org.productId, apiKey, Date.now()));
      await org.store.close();
    }
  });

  const both = (query: string, firstPort = wire.port) =>
    second.replace("@", `@127.0.0.1:${firstPort},`) + query;
  /** Connections that are already open stay writable. */
  const setFirstReadOnly = (isReadOnly: boolean) =>
    withClient(first.replace(/[^/]+$/, "postgres"), (client) =>
      client.query(`alter database ${first.split("/").at(-1)} set ${readOnly} = ${isReadOnly}`),
    );
  const setSecondReadOnly = async (isReadOnly: boolean) => {
    await withClient(second, async (client) => {
      await client.query(`set ${readOnly} = off`);
      await client.query(`alter system set ${readOnly} = ${isReadOnly}`);
      await client.query("select pg_reload_conf()");
    });
    await until("the setting is in effect", async () => {
      const { rows } = await withClient(second, (client) => client.query(`show ${readOnly}`));
      return rows[0]?.[readOnly] === (isReadOnly ? "on" : "off");
    });
  };

  test("the server uses the writable one of two hosts in any position, and follows it without a restart", async () => {
    await setFirstReadOnly(true);
    const url = both("?target_session_attrs=read-write");
    const server = await startServerProcess({ DATABASE_URL: url });
    const validate = async () =>
      (await apiOf(server.url, apiKey.key).validate({ license_key: licenseKey })).body.status;
    expect(await validate()).toBe("active");
    await becomes(server, 200);
    const doctor = await runCountersign(["doctor"], { DATABASE_URL: url });
    expect(doctor.stdout).toContain(`Of 2 hosts, 127.0.0.1:${postgres.port} is used`);

    // The second host becomes read-only while connections to it are open, and the first takes over.
    await setSecondReadOnly(true);
    await until("validations fail closed", async () => (await validate()) === "unavailable");
    await becomes(server, 503);
    await setFirstReadOnly(false);
    await until("the first host is used", async () => (await validate()) === "active", 10_000);
    await becomes(server, 200);

    await setSecondReadOnly(false);
    wire.close();
    await until("the second host is used", async () => (await validate()) === "active", 10_000);
    const setup = async () => (await fetch(`${server.url}/api/manage/v1/setup`)).status;
    await until("management uses the second host", async () => (await setup()) < 500, 20_000);
    expect(await server.stop()).toBe(0);
  });

  test("the server uses the reachable one of two hosts at once if the other is down", async () => {
    const server = await startServerProcess({ DATABASE_URL: both("", await freePort()) });
    await becomes(server, 200);
    expect(await server.stop()).toBe(0);
  });

  test("a DATABASE_URL without a writable host is refused at start, with the error of each host", async () => {
    await setSecondReadOnly(true);
    const started = await runCountersign(["serve"], { DATABASE_URL: both("", await freePort()), PORT: "0" });
    await setSecondReadOnly(false);
    expect(started.code).not.toBe(0);
    expect(started.stderr).toContain("target_session_attrs is read-write");
  });
});

describe("readiness on PostgreSQL", () => {
  let disk: SmallDisk | null = null;
  let url: string;
  let server: ServerProcess;
  let api: Api;
  let licenseKey: string;
  let unusedKey: string;
  beforeAll(async () => {
    disk = mountDisk(64);
    url = disk === null ? await freshDatabase(postgres.url) : await databaseOn(disk);
    const org = await openTestOrganization({ kind: "postgres", url });
    licenseKey = (await org.license()).key;
    unusedKey = (await org.license()).key;
    await org.store.close();
    server = await startServerProcess({ DATABASE_URL: url });
    api = apiOf(server.url, org.apiKey);
  });
  afterAll(() => server.stop());

  const statusOfValidation = async (key = licenseKey) => (await api.validate({ license_key: key })).status;
  const recovers = async () => {
    await becomes(server, 200);
    await until("validations are answered", async () => (await statusOfValidation()) === 200);
  };
  /** The connections that the server has open, by the name of their purpose. */
  const openConnections = (named: string) =>
    withClient(url, async (client) => {
      const ofServer = "datname = current_database() and application_name like $1";
      return (await client.query(`select 1 from pg_stat_activity where ${ofServer}`, [named])).rowCount;
    });

  test("validations have connections before the first one, of which 300 polling requests take none", async () => {
    expect(await openConnections("countersign %")).toBeGreaterThanOrEqual(4);
    const polled = Array.from({ length: 300 }, async (_, index) => {
      const path = ["/readyz", "/healthz", "/metrics"][index % 3];
      await (await fetch(server.url + path)).arrayBuffer();
    });
    const validated = await Promise.all(Array.from({ length: 20 }, () => statusOfValidation()));
    expect(await openConnections("countersign%")).toBeLessThan(20);
    await Promise.all(polled);
    expect(new Set(validated)).toEqual(new Set([200]));
  });

  test("readiness is withdrawn while the counters are locked, and returns", async () => {
    await withClient(url, async (client) => {
      await client.query("begin; lock table daily_usage in exclusive mode");
      await becomes(server, 503);
      expect(await statusOfValidation()).toBe(503);
      await client.query("rollback");
    });
    await recovers();
  });

  test("readiness remains while a license that a validation needs is locked", async () => {
    await withClient(url, async (client) => {
      await client.query("begin");
      await client.query("select 1 from licenses where license_key = $1 for update", [unusedKey]);
      let answered = 0;
      void statusOfValidation(unusedKey).then((status) => {
        answered = status;
      });
      await until("the validation is answered", async () => {
        expect(await readiness(server)).toBe(200);
        return answered > 0;
      });
      expect(answered).toBe(503);
      await client.query("rollback");
    });
  });

  test("readiness is withdrawn while PostgreSQL is paused, and returns", async () => {
    const frozen = await freezePostgres(postgres.url);
    await becomes(server, 503);
    expect(await statusOfValidation()).toBe(503);
    frozen.thaw();
    await recovers();
  });

  testWithDisk(
    "readiness ends while PostgreSQL's disk is full, even without validations, and returns",
    async () => {
      await withClient(url, async (client) => {
        // An open snapshot retains old row versions, so that every count needs more disk space.
        await client.query("begin isolation level repeatable read; select 1 from products");
        disk?.fill();
        await until("validations fail closed", async () => (await statusOfValidation()) === 503, 60_000);
        await becomes(server, 503);
        // Longer than a failed batch affects readiness. A load balancer sends no validations in this state.
        const endMs = performance.now() + 6_500;
        await until("the effect of the failed batch is over", async () => {
          expect(await readiness(server)).toBe(503);
          return performance.now() > endMs;
        });
        disk?.free();
        await recovers();
      });
      expect(server.output()).toContain("PostgreSQL has no space left.");
    },
  );

  test("readiness is withdrawn while PostgreSQL is stopped, when callers are told to retry, and returns", async () => {
    await postgres.stop();
    await becomes(server, 503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const validated = await api.validate({ license_key: licenseKey });
    for (const answer of [validated, await api.lookup(licenseKey)]) {
      expect(answer).toMatchObject({ status: 503, body: { valid: false, status: "unavailable" } });
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    await postgres.start();
    await recovers();
  });

  test("changes of readiness are logged in both directions", () => {
    expect(server.output()).toContain("Validations cannot be answered. The server is not ready.");
    expect(server.output()).toContain("Validations can be answered again. The server is ready.");
  });
});

describe("readiness on SQLite", () => {
  let disk: SmallDisk | null = null;
  let file: string;
  let server: ServerProcess;
  beforeAll(async () => {
    disk = mountDisk(16);
    const folder = join(disk?.folder ?? freshFolder(), "data");
    file = join(folder, "countersign.db");
    server = await startServerProcess({ COUNTERSIGN_DATA: folder });
    await becomes(server, 200);
  });
  afterAll(() => server.stop());

  test("readiness is withdrawn while another program locks the database, and returns", async () => {
    const other = new DatabaseSync(file);
    other.exec("pragma busy_timeout = 5000; begin immediate");
    await becomes(server, 503);
    other.close();
    await becomes(server, 200);
  });

  testWithDisk("readiness ends while the disk is full, even without validations, and returns", async () => {
    disk?.fill();
    await becomes(server, 503);
    disk?.free();
    await becomes(server, 200);
  });

  test("readiness is withdrawn while the database file is gone", async () => {
    renameSync(file, `${file}.away`);
    await becomes(server, 503);
    renameSync(`${file}.away`, file);
    await becomes(server, 200);
  });
});

/** A database whose tables are on that disk. The write-ahead log is elsewhere. Returns its URL. */
async function databaseOn(disk: SmallDisk): Promise<string> {
  const folder = join(disk.folder, "tables");
  mkdirSync(folder);
  await withClient(postgres.url, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>("show data_directory");
    const { uid, gid } = statSync(rows[0]?.data_directory ?? "");
    chownSync(folder, uid, gid);
    await client.query(`create tablespace small location '${folder}'`);
    await client.query("create database on_small_disk tablespace small");
  });
  return postgres.url.replace(/[^/]+$/, "on_small_disk");
}

const readiness = async ({ url }: ServerProcess) => (await fetch(`${url}/readyz`)).status;

function becomes(server: ServerProcess, status: number): Promise<void> {
  return until(`/readyz answers ${status}`, async () => (await readiness(server)) === status, 15_000);
}
