import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Plan } from "@countersign/domain/quota/limit";
import { allPlans, keepVersionModule, updatePlan } from "../queries/plans/plans.ts";
import type { Store } from "../store.ts";
import type { PlanRow } from "../tables/billing.ts";
import { statusOf, validated } from "./calls.ts";
import { changeOrganization } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function plans(fixture: StoreFixture) {
  describe("edited plans", () => {
    const edit = (store: Store, plan: Plan, changes: Partial<PlanRow>) =>
      store.transaction((db) => updatePlan(db, plan, changes));
    // They belong to the whole installation.
    let before: PlanRow[] = [];
    beforeAll(async () => {
      before = await allPlans((await fixture.node()).reads);
    });
    afterEach(async () => {
      const store = await fixture.node();
      for (const { id, ...columns } of before) await edit(store, id, columns);
    });

    test("an edited plan applies to the next call on every node, unless the organization has a limit of its own", async () => {
      const [store, other] = (await fixture.nodes(2)) as [Store, Store];
      const org = await fixture.org({ plan: "free" });
      const { key } = await org.license();
      const expectLimit = async (limit: number | null) => {
        const [here, there] = [await validated(org, key), await validated(org, key, { on: other })];
        expect([here.quota.limit, there.quota.limit]).toEqual([limit, limit]);
      };
      await expectLimit(10_000);
      await edit(other, "free", { daily_limit: 500 });
      await expectLimit(500);
      await edit(store, "free", { daily_limit: null });
      await expectLimit(null);
      await changeOrganization(org, { daily_limit_override: 77 });
      await expectLimit(77);
      await changeOrganization(org, { daily_limit_override: null, plan: "pro", billing_state: "cancelled" });
      await edit(other, "free", { daily_limit: 40 });
      await expectLimit(40);
    });

    test("a plan that gets the version module checks versions, and its organizations keep the checks", async () => {
      const [store, other] = (await fixture.nodes(2)) as [Store, Store];
      const org = await fixture.org({ plan: "free", settings: { version_module_enabled: 1 } });
      const { key } = await org.license();
      const status = () => statusOf(org, key, { version: "1", on: other });
      expect(await status()).toBe("active");
      await edit(store, "free", { version_module: 1 });
      expect(await status()).toBe("version_not_allowed");
      while ((await store.transaction((db) => keepVersionModule(db, "free", 10))) > 0);
      await edit(store, "free", { version_module: 0 });
      expect(await status()).toBe("version_not_allowed");
    });
  });
}
