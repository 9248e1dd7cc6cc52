import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { apiOf } from "../support/api.ts";
import { freshFolder } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { withSecondNode } from "../support/nodes.ts";
import { type PgBouncer, type PoolMode, startPgBouncer, whyNoPgBouncer } from "../support/pgbouncer.ts";
import { freshDatabase, migratedDatabase, sharedPostgres, withClient } from "../support/postgres.ts";
import { countedRequests, registeredIps } from "../support/public-api-fixture.ts";
import { runCountersign } from "../support/server-process.ts";
import { skipWithReason } from "../support/skip.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const missing = whyNoPgBouncer();
if (missing !== null) skipWithReason("a server behind PgBouncer", missing);
else {
  const poolers: PgBouncer[] = [];
  afterAll(() => Promise.all(poolers.map((pooler) => pooler.stop())));
  /** The URL of this database through a new pooler. */
  const behindPooler = async (url: string, mode: PoolMode, poolSize?: number) => {
    const pooler = await startPgBouncer(await sharedPostgres(), mode, poolSize);
    poolers.push(pooler);
    return pooler.through(url);
  };

  // In session mode, each client connection occupies one PostgreSQL connection, so there is one server.
  testOn("session", 60, "it keeps sessions apart");
  testOn("transaction", 4, "it shares connections between transactions");

  function testOn(mode: PoolMode, poolSize: number, reported: string): void {
    const openServers = async () => {
      const url = await behindPooler(await migratedDatabase(), mode, poolSize);
      const location = { kind: "postgres", url } as const;
      const database = { location, environment: { DATABASE_URL: url }, remove: () => {} };
      const own = { why: "its database is behind a pooler" };
      const fixture = await openManageFixture(async () => database, own);
      if (mode === "session") return { ...fixture, databaseUrl: url, servers: [fixture.server] };
      const both = await withSecondNode(fixture);
      return { ...both, databaseUrl: url, servers: [fixture.server, both.second] };
    };

    testsOn("postgres", `PgBouncer in ${mode} mode`, openServers, (fixture) => {
      test("a server behind PgBouncer validates and is ready, and several never exceed IP slots or a daily limit", async () => {
        const { store, servers } = fixture;
        const org = await openTestOrganization(null, { store, dailyLimit: 75 });
        const licenses = await Promise.all(Array.from({ length: 3 }, () => org.license({ maxIps: 2 })));
        const validate = (index: number) =>
          apiOf(servers[index % servers.length]?.url ?? "", org.apiKey).validate(
            { license_key: licenses[index % 3]?.key },
            { "x-forwarded-for": `198.51.100.${index}` },
          );
        const statuses: number[] = [];
        // Not all at once: a busy machine would refuse some of them as unavailable.
        for (let first = 0; first < 100; first += 25) {
          const answers = Array.from({ length: 25 }, (_, index) => validate(first + index));
          statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
        }
        expect(statuses.toSorted()).toEqual([...Array(75).fill(200), ...Array(25).fill(429)]);
        expect(await countedRequests(org)).toBe(75);
        for (const { id } of licenses) expect(await registeredIps(store, id)).toHaveLength(2);
        for (const server of servers) {
          await until("it is ready", async () => (await fetch(`${server.url}/readyz`)).ok);
          expect(server.output()).not.toContain("DeprecationWarning");
        }
      });

      test("a server behind PgBouncer reads, writes and searches for the management API", async () => {
        const { owner, organizationId, productId } = fixture;
        const created = await owner.api.post(`/products/${productId}/licenses`, { customer_email: "a@b.co" });
        const licenses = `/organizations/${organizationId}/licenses`;
        for (const query of ["limit=2", `q=${created.body.license_key.slice(0, 7)}`])
          expect((await owner.api.get(`${licenses}?${query}`)).body.data).toHaveLength(1);
        expect((await owner.api.patch(`/licenses/${created.body.id}`, { max_ips: 7 })).status).toBe(200);
      });

      test("a server behind PgBouncer leaves no state on pooled connections", async () => {
        const read = () =>
          withClient(fixture.databaseUrl, async (client) => {
            const { rows } = await client.query(
              `select current_setting('enable_seqscan') as seqscan, current_setting('synchronous_commit') as sync,
                current_setting('statement_timeout') as timeout, (select count(*)::int from pg_prepared_statements) as kept`,
            );
            expect(rows).toEqual([{ seqscan: "on", sync: "on", timeout: "0", kept: 0 }]);
          });
        await Promise.all(Array.from({ length: mode === "session" ? 1 : 3 }, read));
      });

      test("the doctor reports PgBouncer and its mode", async () => {
        const { stdout } = await runCountersign(["doctor"], { DATABASE_URL: fixture.databaseUrl });
        expect(stdout).toContain(`A connection pooler is in front of PostgreSQL (${reported}).`);
      });
    });
  }

  test("a backup through a transaction pooler is refused, and the error names the URL it needs", async () => {
    const url = await behindPooler(await freshDatabase(), "transaction");
    const folder = join(freshFolder(), "backup");
    const { code, stderr } = await runCountersign(["backup", folder], { DATABASE_URL: url });
    expect(code).not.toBe(0);
    expect(stderr).toContain("Set it to PostgreSQL itself for this command");
  });

  test("a pooler in statement mode is refused at start and by the doctor, which say what to set", async () => {
    const url = await behindPooler(await freshDatabase(), "statement");
    const sentence = "Set pool_mode = transaction or pool_mode = session";
    for (const command of ["serve", "doctor"]) {
      const { code, stderr, stdout } = await runCountersign([command], { DATABASE_URL: url, PORT: "0" });
      expect(code).not.toBe(0);
      expect(stderr + stdout).toContain(sentence);
    }
  });
}
