import type { DatabaseLocation } from "@countersign/store/open";
import pg from "pg";
import { openManageFixture } from "../support/manage-fixture.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { checkConsistency } from "./consistency-check.ts";
import { makeSubjects } from "./subjects.ts";
import { Traffic } from "./traffic.ts";

/**
 * Kills a primary under load and promotes its synchronous standby. Until then no request is admitted and the server
 * is not ready. Afterwards it responds without a restart, and the standby has every acknowledged write.
 */
export async function failOver(size: { callers: number; recoversWithinMs: number }): Promise<string> {
  const primary = await startPostgres();
  const standby = await startPostgres({ standbyOf: primary });
  await waitForStandbyAtCommit(primary.url);
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
  const url = `postgres://postgres:postgres@${hosts}/postgres?target_session_attrs=read-write`;
  const location: DatabaseLocation = { kind: "postgres", url };
  const fixture = await openManageFixture(
    async () => ({
      location,
      environment: { DATABASE_URL: url },
      remove: () => {},
    }),
    { why: "its database fails over" },
  );
  const subjects = await makeSubjects(location, 20);
  const traffic = new Traffic(subjects);
  const creating = createLicensesUntilStopped(fixture);
  const ready = async () => (await fetch(`${fixture.server.url}/readyz`)).status;
  try {
    traffic.start(fixture.server.port, size.callers, 5);
    await until("there is traffic", () => traffic.acknowledged >= 100, 60_000);
    await until(
      "licenses are created",
      () => creating.created.length >= 5 || creating.wrong.length > 0,
      60_000,
    );

    await primary.kill();
    const unavailable = traffic.unavailable + size.callers;
    await until("callers get 503", () => traffic.unavailable >= unavailable, 60_000);
    await until("the server is not ready", async () => (await ready()) === 503);
    const { created } = creating;
    const before = { acknowledged: traffic.acknowledged, created: created.length };
    holds((await ready()) === 503, "the server is ready although only a standby is left");

    await promote(standby.url);
    const promotedMs = performance.now();
    await until("callers get verdicts again", () => traffic.acknowledged > before.acknowledged, 60_000);
    const recoveredMs = performance.now() - promotedMs;
    await until("the server is ready again", async () => (await ready()) === 200);
    await until("licenses are created again", () => created.length > before.created, 60_000);
    const enough = traffic.acknowledged + 100;
    await until("traffic resumes", () => traffic.acknowledged >= enough, 60_000);
    await Promise.all([traffic.stop(), creating.stop()]);

    holds(
      creating.wrong.length === 0,
      `creating licenses was answered ${creating.wrong.slice(0, 3).join("; ")}`,
    );
    const lost = traffic.lostReused + traffic.lostFresh;
    holds(lost === 0, `${lost} requests got no answer at all`);
    holds(recoveredMs <= size.recoversWithinMs, `recovered only after ${recoveredMs.toFixed()} ms`);
    await checkConsistency({ kind: "postgres", url: standby.url }, subjects, traffic);
    const missing = await missingLicenses(standby.url, created);
    holds(missing === 0, `${missing} of ${created.length} licenses are gone`);
    return `${traffic.acknowledged} verdicts, ${traffic.unavailable} told to wait, ${created.length} licenses created, answered again after ${recoveredMs.toFixed()} ms`;
  } finally {
    await Promise.all([traffic.stop(), creating.stop()]);
    await fixture.close();
    await standby.stop();
  }
}

/** One after the other, through the management API. Keeps the IDs of responses with 201. */
function createLicensesUntilStopped({ owner, productId }: Awaited<ReturnType<typeof openManageFixture>>) {
  const created: string[] = [];
  const wrong: string[] = [];
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      const path = `/products/${productId}/licenses`;
      const answer = await owner.api.post(path, { customer_email: "customer@example.com" });
      if (answer.status === 201) created.push(String(answer.body.id));
      else if (answer.status !== 503) wrong.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const running = run();
  return {
    created,
    wrong,
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}

/** From here on, a commit waits for the standby. */
async function waitForStandbyAtCommit(url: string): Promise<void> {
  await connected(url, async (client) => {
    await until("the standby follows", async () => {
      const { rowCount } = await client.query("select 1 from pg_stat_replication where state = 'streaming'");
      return rowCount === 1;
    });
    await client.query("alter system set synchronous_standby_names = 'standby'");
    await client.query("select pg_reload_conf()");
    await until("the standby is synchronous", async () => {
      const { rowCount } = await client.query("select 1 from pg_stat_replication where sync_state = 'sync'");
      return rowCount === 1;
    });
  });
}

async function promote(url: string): Promise<void> {
  await connected(url, (client) => client.query("select pg_promote()"));
}

async function missingLicenses(url: string, ids: readonly string[]): Promise<number> {
  let found = 0;
  await connected(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from licenses where id = any ($1::text[])",
      [ids],
    );
    found = rows[0]?.count ?? 0;
  });
  return ids.length - found;
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
