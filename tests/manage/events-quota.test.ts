import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { quotaDay } from "@countersign/domain/quota/day";
import { setDailyUsage } from "@countersign/store/queries/products/daily-usage";
import { QuotaCheck } from "../../apps/server/features/events/quota-check.ts";
import { type Api, apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;
const nobodys = { license_key: "0000-0000-0000-0000" };

describe.each(databases)("quota events on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let secondNode: ServerProcess | null = null;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    if (kind === "postgres") secondNode = await startServerProcess(fixture.database.environment);
  });
  afterAll(async () => {
    await secondNode?.stop();
    await fixture.close();
  });

  /** An organization with a product and a limit, whose requests alternate between the nodes. */
  const org = async (limit: number | null) => {
    const owner = await fixture.person();
    const { body: organization } = await owner.api.post("/organizations", { name: "Busy" });
    const { body: product } = await owner.api.post(`/organizations/${organization.id}/products`, {
      name: "Tool",
    });
    const change = async (terms: object) => {
      const answer = await fixture.admin.api.patch(`/admin/organizations/${organization.id}`, terms);
      expect(answer.status).toBe(200);
    };
    if (limit !== null) await change({ daily_limit_override: limit });
    const servers = [fixture.server, ...(secondNode === null ? [] : [secondNode])];
    const apis: Api[] = servers.map((server) => apiOf(server.url, product.api_key));
    return {
      organizationId: String(organization.id),
      productId: String(product.id),
      change,
      ask: (times: number) =>
        Promise.all(
          Array.from({ length: times }, (_, index) => apis[index % apis.length]?.validate(nobodys)),
        ),
      use: (used: number) =>
        fixture.store.transaction(async (db) => {
          const day = quotaDay(await fixture.store.clock());
          await setDailyUsage(db, product.id, day, used);
        }),
      recorded: async () => {
        const rows = await fixture.store.reads
          .selectFrom("events")
          .select(["type", "data"])
          .where("product_id", "=", product.id)
          .where("type", "in", ["quota.warning", "quota.exhausted"])
          .orderBy("id")
          .execute();
        return rows.map(({ type, data }) => {
          const { limit: recorded, used } = JSON.parse(data);
          return [type, recorded, used];
        });
      },
    };
  };
  /** Runs the check on three nodes, a while after the change. */
  const runChecks = async (laterMs = 20_000) => {
    const clock = async () => (await fixture.store.clock()) + laterMs;
    await Promise.all([1, 2, 3].map(() => new QuotaCheck(fixture.store, clock).run()));
  };

  test("nodes that share a daily quota record 80% and 100% once", async () => {
    const { ask, recorded } = await org(50);
    await ask(120);
    await ask(20);
    expect((await recorded()).map(([type]) => type).sort()).toEqual(["quota.exhausted", "quota.warning"]);
  });

  test("lowering a limit below the current usage records an event, once", async () => {
    const { use, change, recorded } = await org(100);
    await use(45);
    await change({ daily_limit_override: 50 });
    await until("the event is recorded", async () => (await recorded()).length > 0);
    await runChecks();
    expect(await recorded()).toEqual([["quota.warning", 50, 45]]);
    await change({ daily_limit_override: 45 });
    await runChecks();
    await runChecks();
    expect(await recorded()).toEqual([
      ["quota.warning", 50, 45],
      ["quota.exhausted", 45, 45],
    ]);
    await change({ daily_limit_override: 10 });
    await runChecks();
    expect(await recorded()).toHaveLength(2);
  });

  test.each([
    ["a plan change", { plan: "free" }],
    ["a cancelled subscription", { billing_state: "cancelled" }],
    ["a limit where there was none", { daily_limit_override: 10_000 }],
  ])("%s can exceed the limit too", async (_what, terms) => {
    const { use, change, recorded } = await org(null);
    await use(12_000);
    await change(terms);
    await runChecks();
    expect(await recorded()).toEqual([
      ["quota.warning", 10_000, 12_000],
      ["quota.exhausted", 10_000, 12_000],
    ]);
  });

  test("events already recorded, thresholds not reached and other days record nothing", async () => {
    const { change, recorded, ask } = await org(10);
    await ask(9);
    expect((await recorded()).map(([type]) => type)).toEqual(["quota.warning"]);
    await change({ daily_limit_override: 11 });
    await change({ daily_limit_override: 10 });
    await runChecks();
    expect(await recorded()).toHaveLength(1);

    const high = await org(1_000);
    await high.use(100);
    await high.change({ daily_limit_override: 500 });
    await runChecks();
    expect(await high.recorded()).toEqual([]);
    await high.change({ daily_limit_override: 50 });
    await runChecks(dayMs);
    expect(await high.recorded()).toEqual([]);
    expect(await fixture.store.reads.selectFrom("quota_checks").selectAll().execute()).toEqual([]);
  });

  test("a limit that is raised again before the check records the current limit", async () => {
    const { use, change, recorded } = await org(100);
    await use(60);
    await change({ daily_limit_override: 20 });
    await change({ daily_limit_override: 70 });
    await runChecks();
    expect(await recorded()).toEqual([["quota.warning", 70, 60]]);
  });

  test("a limit lowered during traffic records each event once", async () => {
    for (let round = 0; round < 8; round++) {
      const { ask, change, recorded } = await org(1_000_000);
      const asked = ask(200);
      // Each round changes the limit at a different moment.
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      await change({ daily_limit_override: 60 });
      await asked;
      await ask(70);
      await runChecks();
      expect((await recorded()).map(([type]) => type).sort()).toEqual(["quota.exhausted", "quota.warning"]);
    }
  });
});
