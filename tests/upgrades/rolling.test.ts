import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { release } from "../../apps/server/base/release.ts";
import { Traffic } from "../faults/traffic.ts";
import { freshFolder, postgres } from "../support/databases.ts";
import { openOwnOrganization } from "../support/own-organization.ts";
import { withClient } from "../support/postgres.ts";
import { runCountersign, startServerProcess } from "../support/server-process.ts";
import { buildNextRelease, nextMigrations, nextRelease } from "./next-release.ts";

setDefaultTimeout(240_000);

const folder = freshFolder();
let nextMain = "";
beforeAll(async () => {
  nextMain = await buildNextRelease(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [expanding = "", contracting = ""] = nextMigrations.map(({ name }) => name);

test("servers of two releases share a PostgreSQL database, and no request fails while one migrates", async () => {
  const org = await openOwnOrganization(postgres.make);
  const url = org.environment.DATABASE_URL ?? "";
  const query = (text: string) => withClient(url, async (client) => (await client.query(text)).rows);
  const subjectOf = async () => {
    const license = await org.license({ maxIps: 100 });
    return { ...license, apiKey: org.apiKey, truths: ["active"] };
  };
  const traffic = new Traffic([await subjectOf(), await subjectOf(), await subjectOf()]);
  const old = await startServerProcess(org.environment);
  traffic.start(old.port, 4, 2);
  await traffic.flows(50);

  const next = await startServerProcess(org.environment, nextMain);
  await traffic.flows(50, "the old server still answers");
  expect(await query("select next_number from licenses")).toContainEqual({ next_number: "7" });
  expect(next.output()).toContain(`servers of release ${release} are connected`);
  traffic.start(next.port, 4, 2, "127.0.0.20");
  await traffic.flows(100, "both servers answer");

  // The old release writes rows without the new columns.
  const afterwards = new Traffic([await subjectOf()]);
  await afterwards.send(old.port, 20, 2);
  await afterwards.send(next.port, 20, 2, "127.0.1.20");

  const restarted = await startServerProcess(org.environment);
  await afterwards.send(restarted.port, 20, 2, "127.0.1.30");
  expect(await runCountersign(["migrate", "--check"], org.environment)).toEqual({
    code: 0,
    stdout: `The database is up to date.\nA newer release has migrated the database (${expanding}). This release runs on it.\n`,
    stderr: "",
  });
  await traffic.stop();

  await old.stop();
  await restarted.stop();
  await org.store.close();
  const migrated = await runCountersign(["migrate", "--json"], org.environment, nextMain);
  expect(JSON.parse(migrated.stdout)).toEqual({
    database: "postgres",
    applied: [contracting],
    postponed: [],
    backup: null,
  });
  await afterwards.send(next.port, 20, 2, "127.0.1.40");
  expect((await runCountersign(["migrate", "--check"], org.environment)).code).toBe(3);
  const refused = await runCountersign(["serve"], { ...org.environment, PORT: "0" });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `The database has migration ${contracting}, which this release, ${release}, does not know and cannot run with. Start release ${nextRelease} or a newer release.\n`,
  ]);
  await next.stop();

  for (const { problems, unavailable } of [traffic, afterwards])
    expect([problems, unavailable]).toEqual([[], 0]);
  const [counted] = await query("select sum(used) as used from daily_usage");
  expect(Number(counted?.used)).toBe(traffic.acknowledged + afterwards.acknowledged);
  const [registered] = await query("select count(*) as ips from license_ips");
  expect(Number(registered?.ips)).toBe(traffic.registrations.length + afterwards.registrations.length);
});
