import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import { apiOf } from "../support/api.ts";
import { freePort } from "../support/free-port.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { runCountersign, startServerProcess } from "../support/server-process.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

/**
 * Two servers with the same contents, one of them read-only, in every order. tests/faults/fail-over.ts has a real
 * standby that takes over.
 */
describe("a DATABASE_URL with two hosts", () => {
  let servers: PostgresServer[];
  beforeAll(async () => {
    servers = await Promise.all([startPostgres(), startPostgres()]);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  const both = (query: string, ports = servers.map(({ port }) => port)) =>
    `postgres://postgres:postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres${query}`;

  test("uses the writable host in any position and follows it to the other one without a restart", async () => {
    const [first, second] = servers as [PostgresServer, PostgresServer];
    const org = await openTestOrganization({ kind: "postgres", url: first.url });
    const { key } = await org.license();
    await org.store.close();
    await copyDatabase(first.url, second.url);
    await setReadOnly(first.url, true);

    const url = both("?target_session_attrs=read-write");
    const server = await startServerProcess({ DATABASE_URL: url });
    const validate = async () =>
      (await apiOf(server.url, org.apiKey).validate({ license_key: key })).body.status;
    const isReady = async () => (await fetch(`${server.url}/readyz`)).ok;
    expect(await validate()).toBe("active");
    await until("the server is ready", isReady);
    const doctor = await runCountersign(["doctor"], { DATABASE_URL: url });
    expect(doctor.stdout).toContain(`Of 2 hosts, 127.0.0.1:${second.port} is used`);

    // The second host becomes read-only while connections to it are open, and the first takes over.
    await setReadOnly(second.url, true);
    await until("validations fail closed", async () => (await validate()) === "unavailable");
    await until("the server is not ready", async () => !(await isReady()));
    await setReadOnly(first.url, false);
    await until(
      "validations are answered by the first host",
      async () => (await validate()) === "active",
      10_000,
    );
    await until("the server is ready again", isReady, 10_000);

    // The first host goes away.
    await setReadOnly(second.url, false);
    await first.stop();
    await until(
      "validations are answered by the second host",
      async () => (await validate()) === "active",
      10_000,
    );
    const setup = async () => (await fetch(`${server.url}/api/manage/v1/setup`)).status;
    await until("management is answered by the second host", async () => (await setup()) < 500, 20_000);
    expect(await server.stop()).toBe(0);
    await first.start();
  });

  test("uses the reachable host at once if the other is down", async () => {
    const [, second] = servers as [PostgresServer, PostgresServer];
    const gone = await freePort();
    const server = await startServerProcess({ DATABASE_URL: both("", [gone, second.port]) });
    await until("the server is ready", async () => (await fetch(`${server.url}/readyz`)).ok);
    expect(await server.stop()).toBe(0);
  });

  test("without a writable host is refused at start, with the error of each host", async () => {
    for (const { url } of servers) await setReadOnly(url, true);
    const { code, stderr } = await runCountersign(["serve"], { DATABASE_URL: both(""), PORT: "0" });
    for (const { url } of servers) await setReadOnly(url, false);
    expect(code).not.toBe(0);
    expect(stderr).toContain("target_session_attrs is read-write");
  });
});

async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  await withClient(url, async (client) => {
    await client.query("set default_transaction_read_only = off");
    await client.query(`alter system set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
    await client.query("select pg_reload_conf()");
  });
  await until("the setting is in effect", async () => {
    let shown = "";
    await withClient(url, async (client) => {
      const { rows } = await client.query("show default_transaction_read_only");
      shown = rows[0]?.default_transaction_read_only;
    });
    return shown === (isReadOnly ? "on" : "off");
  });
}

/** A migration, and rows in the few tables that a validation reads. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const { code } = await runCountersign(["migrate"], { DATABASE_URL: to });
  expect(code).toBe(0);
  await withClient(from, async (source) => {
    await withClient(to, async (target) => {
      const { rows: tables } = await source.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'",
      );
      await target.query("set session_replication_role = replica");
      for (const { name } of tables) {
        const { rows: columns } = await source.query<{ name: string }>(
          `select quote_ident(column_name) as name from information_schema.columns
           where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
          [name],
        );
        const list = columns.map((column) => column.name).join();
        const { rows } = await source.query(`select json_agg(t) as contents from ${name} t`);
        await target.query(`delete from ${name}`);
        await target.query(
          `insert into ${name} (${list}) select ${list} from json_populate_recordset(null::${name}, $1::json)`,
          [JSON.stringify(rows[0]?.contents ?? [])],
        );
      }
    });
  });
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
