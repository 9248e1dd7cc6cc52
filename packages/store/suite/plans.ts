import { describe, expect, test } from "bun:test";
import { newId, openTestOrganization } from "../../../tests/support/test-organization.ts";
import { type DatabaseLocation, openStore } from "../open.ts";
import { organizationById } from "../queries/manage/access.ts";
import { createOrganization } from "../queries/organizations/organizations.ts";
import { keepVersionModule, organizationsWithLimitOf } from "../queries/plans/organizations.ts";
import { allPlans, updatePlan } from "../queries/plans/plans.ts";
import type { Store } from "../store.ts";
import { as, validate, validateOne, verdict } from "./calls.ts";
import { changeOrganization } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

/** Plans belong to the whole installation, so each test has a database of its own. */
export function plans(fixture: StoreFixture) {
  describe("plans", () => {
    const open = async (work: (store: Store, other: Store, location: DatabaseLocation) => Promise<void>) => {
      const location = await fixture.empty();
      const options = { encryptionKey: null, durability: "standard" } as const;
      const store = await openStore(location, options);
      const other = await openStore(location, options);
      try {
        await work(store, other, location);
      } finally {
        await Promise.all([store.close(), other.close()]);
      }
    };

    test("a new database has the three plans, the smallest first", () =>
      open(async (store) => {
        const rows = await allPlans(store.reads);
        expect(
          rows.map((plan) => [plan.id, plan.daily_limit, plan.version_module, plan.organizations_per_user]),
        ).toEqual([
          ["free", 10_000, 0, 2],
          ["pro", 100_000, 1, 2],
          ["enterprise", null, 1, null],
        ]);
        for (const plan of rows) {
          const { max_products: products, max_licenses: licenses, max_members: members } = plan;
          expect([products, licenses, members, plan.max_webhooks]).toEqual([null, null, null, null]);
        }
      }));

    test("an edited plan applies to the next call on every node", () =>
      open(async (store, other, location) => {
        const org = await openTestOrganization(location, { store, plan: "free" });
        const { key } = await org.license();
        const limits = async () => {
          const call = validate(org.apiKey, key);
          const here = await validateOne(store, call);
          const there = await validateOne(other, call);
          return [as("validated", here).quota.limit, as("validated", there).quota.limit];
        };
        expect(await limits()).toEqual([10_000, 10_000]);
        await other.transaction((db) => updatePlan(db, "free", { daily_limit: 500 }));
        expect(await limits()).toEqual([500, 500]);
        await store.transaction((db) => updatePlan(db, "free", { daily_limit: null }));
        expect(await limits()).toEqual([null, null]);
        await changeOrganization(org, { daily_limit_override: 77 });
        expect(await limits()).toEqual([77, 77]);
        await changeOrganization(org, { daily_limit_override: null, plan: "pro" });
        expect(await limits()).toEqual([100_000, 100_000]);
        await other.transaction((db) => updatePlan(db, "free", { daily_limit: 40 }));
        await changeOrganization(org, { billing_state: "cancelled" });
        expect(await limits()).toEqual([40, 40]);
      }));

    test("a plan that gets the version module checks versions, and its organizations keep that", () =>
      open(async (store, other, location) => {
        const settings = { version_module_enabled: 1 } as const;
        const org = await openTestOrganization(location, { store, plan: "free", settings });
        const { key } = await org.license();
        const status = async () => (await verdict(other, validate(org.apiKey, key, { version: "1" }))).status;
        expect(await status()).toBe("active");
        await store.transaction((db) => updatePlan(db, "free", { version_module: 1 }));
        expect(await status()).toBe("version_not_allowed");
        expect(await store.transaction((db) => keepVersionModule(db, "free", 10))).toBe(1);
        expect(await store.transaction((db) => keepVersionModule(db, "free", 10))).toBe(0);
        await store.transaction((db) => updatePlan(db, "free", { version_module: 0 }));
        expect(await status()).toBe("version_not_allowed");
      }));

    test("a new organization has had the version module if its plan includes it", () =>
      open(async (store) => {
        const had = async (plan: "free" | "pro") => {
          const id = newId();
          await store.transaction((db) => createOrganization(db, { id, name: "N", slug: id, plan }, 1));
          return (await organizationById(store.reads, id))?.had_version_module;
        };
        expect([await had("free"), await had("pro")]).toEqual([0, 1]);
        await store.transaction((db) => updatePlan(db, "free", { version_module: 1 }));
        await store.transaction((db) => updatePlan(db, "pro", { version_module: 0 }));
        expect([await had("free"), await had("pro")]).toEqual([1, 0]);
      }));

    test("the organizations of a plan are listed page by page, with cancelled ones on Free", () =>
      open(async (store, _other, location) => {
        const opened = async (plan: "free" | "pro" | "enterprise", dailyLimit: number | null = null) =>
          openTestOrganization(location, { store, plan, dailyLimit });
        const free = await opened("free");
        const pro = await opened("pro");
        const cancelled = await opened("pro");
        await opened("free", 5);
        await opened("enterprise");
        await changeOrganization(cancelled, { billing_state: "cancelled" });
        const ids = async (plan: "free" | "pro", afterId = "", limit = 10) =>
          organizationsWithLimitOf(store.reads, plan, afterId, limit);
        expect(await ids("free")).toEqual([free.organizationId, cancelled.organizationId]);
        expect(await ids("free", "", 1)).toEqual([free.organizationId]);
        expect(await ids("free", free.organizationId)).toEqual([cancelled.organizationId]);
        expect(await ids("pro")).toEqual([pro.organizationId]);
      }));
  });
}
