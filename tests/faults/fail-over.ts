import { postgresAt } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { startPostgres, withClient } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { holds, holdsNone } from "./assert-holds.ts";
import { openTraffic } from "./consistency-check.ts";
import { repeat } from "./traffic.ts";

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
  const database = postgresAt(url);
  const fixture = await openManageFixture(async () => database, { why: "its database fails over" });
  const { server, owner, productId } = fixture;
  const traffic = await openTraffic(database.location);
  const created: string[] = [];
  const wrong: string[] = [];
  const customer = { customer_email: "customer@example.com" };
  const creating = repeat(
    async () => {
      const answer = await owner.api.post(`/products/${productId}/licenses`, customer);
      if (answer.status === 201) created.push(String(answer.body.id));
      else if (answer.status !== 503) wrong.push(`${answer.status} ${answer.text}`);
    },
    { pauseMs: 20 },
  );
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  try {
    traffic.start(server.port, size.callers, 5);
    await traffic.flows(100);
    await until("licenses are created", () => created.length >= 5 || wrong.length > 0, 60_000);

    await primary.kill();
    const unavailable = traffic.unavailable + size.callers;
    await until("callers get 503", () => traffic.unavailable >= unavailable, 60_000);
    await until("the server is not ready", async () => (await ready()) === 503);
    const before = { acknowledged: traffic.acknowledged, created: created.length };
    holds((await ready()) === 503, "the server is ready although only a standby is left");

    await withClient(standby.url, (client) => client.query("select pg_promote()"));
    const promotedMs = performance.now();
    await until("callers get verdicts again", () => traffic.acknowledged > before.acknowledged, 60_000);
    const recoveredMs = performance.now() - promotedMs;
    await until("the server is ready again", async () => (await ready()) === 200);
    await until("licenses are created again", () => created.length > before.created, 60_000);
    await traffic.flows(100, "traffic resumes");
    await Promise.all([traffic.stop(), creating.stop()]);

    holdsNone(wrong, "creating licenses was answered");
    holdsNone(traffic.problems, "callers saw");
    holds(recoveredMs <= size.recoversWithinMs, `recovered only after ${recoveredMs.toFixed()} ms`);
    await traffic.check({ kind: "postgres", url: standby.url });
    const missing = await missingLicenses(standby.url, created);
    holds(missing === 0, `${missing} of ${created.length} licenses are gone`);
    return `${traffic.acknowledged} verdicts, ${traffic.unavailable} told to wait, ${created.length} licenses created, answered again after ${recoveredMs.toFixed()} ms`;
  } finally {
    await Promise.all([traffic.stop(), creating.stop()]);
    await fixture.close();
    await standby.stop();
  }
}

/** From here on, a commit waits for the standby. */
function waitForStandbyAtCommit(url: string): Promise<void> {
  return withClient(url, async (client) => {
    const becomes = (what: string, condition: string) =>
      until(what, async () => {
        const { rowCount } = await client.query(`select 1 from pg_stat_replication where ${condition}`);
        return rowCount === 1;
      });
    await becomes("the standby follows", "state = 'streaming'");
    await client.query("alter system set synchronous_standby_names = 'standby'");
    await client.query("select pg_reload_conf()");
    await becomes("the standby is synchronous", "sync_state = 'sync'");
  });
}

async function missingLicenses(url: string, ids: readonly string[]): Promise<number> {
  const query = "select 1 from licenses where id = any ($1::text[])";
  const { rowCount } = await withClient(url, (client) => client.query(query, [ids]));
  return ids.length - (rowCount ?? 0);
}
