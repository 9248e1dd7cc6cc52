import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import pg from "pg";
import { apiOf } from "../support/api.ts";
import { freshFolder } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type PgBouncer, startPgBouncer, whyNoPgBouncer } from "../support/pgbouncer.ts";
import { freshDatabase, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { countedRequests, registeredIps } from "../support/public-api-fixture.ts";
import { runCountersign, type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { skipWithReason } from "../support/skip.ts";
import { openTestOrganization, type TestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const missing = whyNoPgBouncer();
if (missing !== null) skipWithReason("a server behind PgBouncer", missing);
else {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  for (const mode of ["session", "transaction"] as const) {
    describe(`a server behind PgBouncer in ${mode} mode`, () => {
      let pooler: PgBouncer;
      let fixture: ManageFixture;
      let org: TestOrganization;
      let url: string;
      let second: ServerProcess;
      let servers: ServerProcess[];
      beforeAll(async () => {
        // In session mode, each client connection occupies one PostgreSQL connection.
        pooler = await startPgBouncer(postgres.url, mode, mode === "session" ? 60 : 4);
        url = pooler.through(await freshDatabase(postgres.url));
        const database = {
          location: { kind: "postgres", url } as const,
          environment: { DATABASE_URL: url },
          remove: () => {},
        };
        fixture = await openManageFixture(async () => database, { why: "its database is behind a pooler" });
        second = await startServerProcess({ ...fixture.environment, PORT: "0" });
        servers = [fixture.server, second];
        org = await openTestOrganization(null, { store: fixture.store });
      });
      afterAll(async () => {
        await second.stop();
        await fixture.close();
        await pooler.stop();
      });

      test("answers validations and is ready", async () => {
        const { key } = await org.license();
        for (const server of servers) {
          const answer = await apiOf(server.url, org.apiKey).validate({ license_key: key });
          expect(answer.body.status).toBe("active");
          await until("it is ready", async () => (await fetch(`${server.url}/readyz`)).ok);
          expect(server.output()).not.toContain("DeprecationWarning");
        }
      });

      test("two servers together never exceed a license's IP slots or a daily limit", async () => {
        const { productId, apiKey, ...limited } = await openTestOrganization(null, {
          store: org.store,
          dailyLimit: 150,
        });
        const licenses = await Promise.all(Array.from({ length: 4 }, () => limited.license({ maxIps: 2 })));
        const requests = Array.from(
          { length: 200 },
          (_, index) => () =>
            fetch(`${servers[index % 2]?.url}/api/v1/validate`, {
              method: "POST",
              headers: { authorization: `Bearer ${apiKey}`, "x-forwarded-for": `198.51.100.${index}` },
              body: JSON.stringify({ license_key: licenses[index % licenses.length]?.key }),
            }),
        );
        // Not all at once: a busy machine would refuse some of them as unavailable.
        const answers: Response[] = [];
        for (let first = 0; first < requests.length; first += 40)
          answers.push(...(await Promise.all(requests.slice(first, first + 40).map((request) => request()))));
        const count = (status: number) => answers.filter((answer) => answer.status === status).length;
        expect({ ok: count(200), limited: count(429) }).toEqual({ ok: 150, limited: 50 });
        expect(await countedRequests({ store: org.store, productId })).toBe(150);
        for (const { id } of licenses) expect(await registeredIps(org.store, id)).toHaveLength(2);
      });

      test("the management API reads, writes and searches", async () => {
        const { owner, organizationId, productId } = fixture;
        const created = await owner.api.post(`/products/${productId}/licenses`, { customer_email: "a@b.co" });
        expect(created.status).toBe(201);
        const licenses = `/organizations/${organizationId}/licenses`;
        expect((await owner.api.get(`${licenses}?limit=2`)).body.data).toHaveLength(1);
        expect(
          (await owner.api.get(`${licenses}?q=${created.body.license_key.slice(0, 7)}`)).body.data,
        ).toHaveLength(1);
        expect((await owner.api.patch(`/licenses/${created.body.id}`, { max_ips: 7 })).status).toBe(200);
      });

      test("leaves no state on pooled connections", async () => {
        const { key } = await org.license();
        await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            apiOf(servers[index % 2]?.url ?? "", org.apiKey).validate({ license_key: key }),
          ),
        );
        const clients = await Promise.all(
          Array.from({ length: mode === "session" ? 1 : 3 }, () => connected(url)),
        );
        for (const client of clients) {
          const { rows } = await client.query(
            `select current_setting('enable_seqscan') as seqscan, current_setting('synchronous_commit') as sync,
              current_setting('statement_timeout') as timeout, (select count(*)::int from pg_prepared_statements) as kept`,
          );
          expect(rows).toEqual([{ seqscan: "on", sync: "on", timeout: "0", kept: 0 }]);
        }
        await Promise.all(clients.map((client) => client.end()));
      });

      test("doctor reports the pooler", async () => {
        const { stdout } = await runCountersign(["doctor"], { DATABASE_URL: url });
        expect(stdout).toContain(
          mode === "session"
            ? "A connection pooler is in front of PostgreSQL (it keeps sessions apart)."
            : "A connection pooler is in front of PostgreSQL (it shares connections between transactions).",
        );
      });
    });
  }

  test("a backup through a transaction pooler is refused, and the error names the URL it needs", async () => {
    const pooler = await startPgBouncer(postgres.url, "transaction");
    const url = pooler.through(await freshDatabase(postgres.url));
    const folder = join(freshFolder(), "backup");
    const { code, stderr } = await runCountersign(["backup", folder], { DATABASE_URL: url });
    expect(code).not.toBe(0);
    expect(stderr).toContain("Set it to PostgreSQL itself for this command");
    await pooler.stop();
  });

  test("a pooler in statement mode is refused at start, and the error says what to set", async () => {
    const pooler = await startPgBouncer(postgres.url, "statement");
    const url = pooler.through(await freshDatabase(postgres.url));
    const { code, stderr, stdout } = await runCountersign(["serve"], { DATABASE_URL: url, PORT: "0" });
    expect(code).not.toBe(0);
    expect(stderr + stdout).toContain("Set pool_mode = transaction or pool_mode = session");
    const doctor = await runCountersign(["doctor"], { DATABASE_URL: url });
    expect(doctor.stdout).toContain("Set pool_mode = transaction or pool_mode = session");
    await pooler.stop();
  });
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
