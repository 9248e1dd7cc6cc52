import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import { setDailyUsage } from "@countersign/store/queries/usage/daily";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { race, times, validate } from "../../../../packages/store/suite/calls.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { quotaCheck, termsChanged } from "./quota-check.ts";

onDatabase("postgres", "the check of lowered limits", (fixture) => {
  const { write } = fixture;

  const openOrganization = async (dailyLimit: number | null) => {
    const { organizationId, productId, apiKey } = await fixture.organization({ dailyLimit });
    return {
      /** As the operator does it, and soon enough for today's check. */
      change: (terms: Partial<OrganizationRow>) =>
        write(async (db) => {
          const before = await lockedOrganization(db, organizationId);
          if (before === undefined) throw new Error("The organization does not exist.");
          await db.updateTable("organizations").set(terms).where("id", "=", organizationId).execute();
          const nowMs = await fixture.store.clock();
          await termsChanged(db, organizationId, before, { ...before, ...terms }, nowMs);
        }),
      validate: (count: number) => {
        const calls = times(count, () => validate(apiKey, "NONE"));
        return race([fixture.store], calls, 7);
      },
      use: (used: number) =>
        write(async (db) => setDailyUsage(db, productId, quotaDay(await fixture.store.clock()), used)),
      recorded: async () => {
        const rows = await fixture.rows("events", { product_id: productId });
        const facts = rows.map(({ type, data }) => ({ type, ...JSON.parse(data) }));
        return facts.map(({ type, limit, used }) => [type, limit, used]);
      },
    };
  };
  /** Runs the check on three nodes, a while after the change. */
  const runChecks = async (laterMs = 20_000) => {
    const clock = async () => (await fixture.store.clock()) + laterMs;
    await Promise.all([1, 2, 3].map(() => quotaCheck(fixture.store, clock).run()));
  };

  test("lowering a limit below the current usage records each event, once", async () => {
    const { use, change, recorded } = await openOrganization(100);
    await use(45);
    await change({ daily_limit_override: 50 });
    await runChecks(0);
    expect(await recorded()).toEqual([]);
    await runChecks();
    const warning = ["quota.warning", 50, 45];
    expect(await recorded()).toEqual([warning]);
    for (const daily_limit_override of [45, 10]) {
      await change({ daily_limit_override });
      await runChecks();
      await runChecks();
      expect(await recorded()).toEqual([warning, ["quota.exhausted", 45, 45]]);
    }
  });

  test.each<[what: string, terms: Partial<OrganizationRow>]>([
    ["a plan change", { plan: "free" }],
    ["a cancelled subscription", { billing_state: "cancelled" }],
    ["a limit where there was none", { daily_limit_override: 10_000 }],
  ])("%s records both events if the usage exceeds the limit", async (_what, terms) => {
    const { use, change, recorded } = await openOrganization(null);
    await use(12_000);
    await change(terms);
    await runChecks();
    const types = ["quota.warning", "quota.exhausted"];
    expect(await recorded()).toEqual(types.map((type) => [type, 10_000, 12_000]));
  });

  test("an event that a validation has recorded is not recorded again", async () => {
    const { change, recorded, validate } = await openOrganization(10);
    await validate(9);
    expect(await recorded()).toHaveLength(1);
    await change({ daily_limit_override: 11 });
    await change({ daily_limit_override: 10 });
    await runChecks();
    expect(await recorded()).toEqual([["quota.warning", 10, expect.any(Number)]]);
  });

  test("the limit at the time of the check decides about its events, and the next day records none", async () => {
    const { use, change, recorded } = await openOrganization(1_000);
    await use(100);
    await change({ daily_limit_override: 50 });
    await change({ daily_limit_override: 500 });
    await runChecks();
    await change({ daily_limit_override: 50 });
    await runChecks(dayMs);
    await runChecks();
    expect(await recorded()).toEqual([]);
    await change({ daily_limit_override: 900 });
    await change({ daily_limit_override: 20 });
    await change({ daily_limit_override: 110 });
    await runChecks();
    expect(await recorded()).toEqual([["quota.warning", 110, 100]]);
  });

  test("a limit that is lowered during validations records each event once", async () => {
    for (let round = 0; round < 2; round++) {
      const { validate, change, recorded } = await openOrganization(1_000_000);
      const validated = validate(100);
      // Each round changes the limit at a different moment.
      for (let before = 0; before < round; before++) await validate(1);
      await change({ daily_limit_override: 60 });
      await validated;
      await validate(70);
      await runChecks();
      expect((await recorded()).map(([type]) => type).sort()).toEqual(["quota.exhausted", "quota.warning"]);
    }
  });
});
