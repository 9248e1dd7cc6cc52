import { expect, test } from "bun:test";
import type { Plan } from "@countersign/domain/quota/limit";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { withPlan } from "../../../../tests/support/changed-plan.ts";
import { insertInvitation, insertRole } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases, type QueryFixture, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { updateOrganization } from "../organizations/organizations.ts";
import * as organizationsQueries from "./plans.ts";
import * as plansQueries from "./plans.ts";
import * as used from "./plans.ts";

const none = { max_products: null, max_licenses: null, max_members: null, max_webhooks: null };
const settings = { max_products: 1, max_licenses: 2, max_members: 3, max_webhooks: 4 };

/** An organization on a plan, with columns of its own. */
async function organizationOn(fixture: QueryFixture, plan: Plan, columns: Partial<OrganizationRow> = {}) {
  const organization = await fixture.organization({ plan });
  await fixture.write((db) => updateOrganization(db, organization.organizationId, { plan, ...columns }));
  return organization;
}

onBothDatabases("plans", (fixture) => {
  const { read, write } = fixture.queries({ ...organizationsQueries, ...plansQueries, ...used });

  test("a new database has the three plans, the smallest first", async () => {
    expect(await read.allPlans()).toMatchObject([
      { id: "free", daily_limit: 10_000, version_module: 0, organizations_per_user: 2, ...none },
      { id: "pro", daily_limit: 100_000, version_module: 1, organizations_per_user: 2, ...none },
      { id: "enterprise", daily_limit: null, version_module: 1, organizations_per_user: null, ...none },
    ]);
  });

  test("a change applies to one plan, and the next read sees it", async () => {
    const [free, , enterprise] = await read.allPlans();
    await withPlan(fixture, "pro", { name: "Team", monthly_price: 1_900 }, async () => {
      expect(await read.planById("pro")).toMatchObject({ name: "Team", monthly_price: 1_900 });
      expect(await write.lockedPlan("pro")).toMatchObject({ name: "Team" });
      const [first, , last] = await read.allPlans();
      expect([first, last]).toEqual([free, enterprise]);
    });
  });

  test.each<[plan: Plan, version_module: 0 | 1]>([
    ["free", 0],
    ["free", 1],
    ["pro", 1],
    ["pro", 0],
  ])("a new organization on %s remembers whether the plan has the version module: %i", async (...row) => {
    const [plan, version_module] = row;
    await withPlan(fixture, plan, { version_module }, async () => {
      const { organizationId: id } = await fixture.organization({ plan });
      expect((await fixture.row("organizations", { id })).had_version_module).toBe(version_module);
    });
  });

  test.each<[plan: Plan, state: OrganizationRow["billing_state"], limits: "own" | "free"]>([
    ["pro", "active", "own"],
    ["pro", "grace", "own"],
    ["pro", "suspended", "own"],
    ["pro", "cancelled", "free"],
    ["free", "active", "free"],
  ])("the limits of an organization on %s that is %s are its %s ones", async (plan, state, which) => {
    const columns = { billing_state: state, max_products_override: 9 };
    const { organizationId } = await organizationOn(fixture, plan, columns);
    await withPlan(fixture, "free", settings, async () => {
      const limits = await read.organizationLimits(organizationId);
      const overrides = { max_products_override: 9, max_licenses_override: null };
      expect(limits).toMatchObject({ ...(which === "free" ? settings : none), ...overrides });
    });
    expect(await read.organizationLimits(newId())).toBeUndefined();
  });

  test("the organizations with the daily limit of a plan are those on it without a limit of their own, by ID", async () => {
    const on = async (plan: Plan, columns: Partial<OrganizationRow> = {}) =>
      (await organizationOn(fixture, plan, columns)).organizationId;
    const first = await on("pro");
    const overdue = await on("pro", { billing_state: "grace" });
    const cancelled = await on("pro", { billing_state: "cancelled" });
    const [limited, deleted] = [
      await on("pro", { daily_limit_override: 5 }),
      await on("pro", { deleted_at: 1 }),
    ];
    const free = await on("free");
    /** Others are those of other tests: the query goes through all organizations. */
    const among = async (plan: Plan) => {
      const found = await read.organizationsWithLimitOf(plan, "", 100_000);
      return found.filter((id) => [first, overdue, cancelled, limited, deleted, free].includes(id));
    };
    expect(await among("pro")).toEqual([first, overdue]);
    expect(await among("free")).toEqual([cancelled, free]);
    expect(await among("enterprise")).toEqual([]);
    expect(await read.organizationsWithLimitOf("pro", first, 1)).toEqual([overdue]);
  });

  test("when a plan loses the version module, its organizations are noted in batches, and no others", async () => {
    const without = { had_version_module: 0 } as const;
    const ours = await several(3, () => organizationOn(fixture, "pro", without));
    const others = [
      await organizationOn(fixture, "enterprise", without),
      await organizationOn(fixture, "pro", { ...without, billing_state: "cancelled" }),
      await organizationOn(fixture, "pro", { ...without, deleted_at: 1 }),
    ];
    const batches: number[] = [];
    for (let noted = 2; noted === 2; batches.push(noted)) noted = await write.keepVersionModule("pro", 2);
    expect(batches.at(-1)).toBeLessThan(2);
    const had = async (organizations: readonly { organizationId: string }[]) => {
      const ids = organizations.map(({ organizationId }) => organizationId);
      return (await fixture.rows("organizations", { id: ids })).map((row) => row.had_version_module);
    };
    expect(await had(ours)).toEqual([1, 1, 1]);
    expect(await had(others)).toEqual([0, 0, 0]);
  });

  test("products are counted without deleted ones and those of other organizations", async () => {
    const organization = await fixture.organization();
    const second = await organization.product();
    await organization.product();
    await fixture.organization();
    const count = () => read.countProducts(organization.organizationId);
    expect(await count()).toBe(3);
    await fixture.change("products", second.productId, { deleted_at: 1 });
    expect(await count()).toBe(2);
  });

  test("members are counted without the owner, and invitations only while they can be accepted", async () => {
    const [ours, others] = [await fixture.organization(), await fixture.organization()];
    const nowMs = 10_000;
    for (const { organizationId: organization_id } of [ours, others]) {
      await fixture.change("organizations", organization_id, { owner_id: (await fixture.user()).id });
      await fixture.member(organization_id);
      const role_id = await fixture.write((db) => insertRole(db, { organization_id }));
      for (const state of [{}, { expires_at: nowMs }, { accepted_at: 1 }, { revoked_at: 1 }]) {
        const invitation = { organization_id, role_id, expires_at: nowMs + 1, ...state };
        await fixture.write((db) => insertInvitation(db, invitation));
      }
    }
    expect(await read.countMembers(ours.organizationId)).toBe(1);
    expect(await read.countPendingInvitations(ours.organizationId, nowMs)).toBe(1);
    expect(await read.countPendingInvitations(ours.organizationId, 0)).toBe(2);
  });
});
