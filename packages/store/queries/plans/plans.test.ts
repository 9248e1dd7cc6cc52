import { expect, test } from "bun:test";
import type { Plan } from "@countersign/domain/quota/limit";
import type { OrganizationRow } from "@countersign/store/tables";
import { withPlan } from "../../../../tests/support/changed-plan.ts";
import { onBothDatabases, type QueryFixture } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { updateOrganization } from "../organizations/organizations.ts";
import * as organizationsQueries from "./organizations.ts";
import { organizationLimits } from "./organizations.ts";
import * as plansQueries from "./plans.ts";
import { lockedPlan, updatePlan } from "./plans.ts";
import * as used from "./used.ts";

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
    const plans = await read.allPlans();
    expect(plans.map(({ id, daily_limit }) => [id, daily_limit])).toEqual([
      ["free", 10_000],
      ["pro", 100_000],
      ["enterprise", null],
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

  test("changes of a locked plan are made one after the other", async () => {
    await withPlan(fixture, "pro", { trial_days: 0 }, async () => {
      const addDay = () =>
        fixture.write(async (db) => {
          const { trial_days: days } = await lockedPlan(db, "pro");
          await updatePlan(db, "pro", { trial_days: days + 1 });
        });
      await Promise.all(Array.from({ length: 5 }, addDay));
      expect((await read.planById("pro")).trial_days).toBe(5);
    });
  });

  test.each<[plan: Plan, state: OrganizationRow["billing_state"], limits: "own" | "free"]>([
    ["pro", "active", "own"],
    ["pro", "grace", "own"],
    ["pro", "suspended", "own"],
    ["pro", "cancelled", "free"],
    ["free", "active", "free"],
    ["free", "cancelled", "free"],
  ])("the limits of an organization on %s that is %s are its %s ones", async (plan, state, which) => {
    const { organizationId } = await organizationOn(fixture, plan, { billing_state: state });
    await withPlan(fixture, "free", settings, async () => {
      const limits = await organizationLimits(fixture.reads, organizationId);
      const none = { max_products: null, max_licenses: null, max_members: null, max_webhooks: null };
      expect(limits).toMatchObject(which === "free" ? settings : none);
    });
  });

  test("the limits of an organization include those that the operator set for it", async () => {
    const { organizationId } = await organizationOn(fixture, "pro", { max_products_override: 9 });
    expect(await organizationLimits(fixture.reads, organizationId)).toMatchObject({
      max_products_override: 9,
      max_licenses_override: null,
    });
    expect(await organizationLimits(fixture.reads, newId())).toBeUndefined();
  });

  /** Which of these organizations a query that goes through all of them names. */
  const among = async (ids: readonly string[], plan: Plan) => {
    const found = await read.organizationsWithLimitOf(plan, "", 100_000);
    return found.filter((id) => ids.includes(id));
  };

  test("the organizations with the daily limit of a plan are those on it without a limit of their own, by ID", async () => {
    const columns: Partial<OrganizationRow>[] = [
      {},
      { billing_state: "grace" },
      { billing_state: "cancelled" },
      { daily_limit_override: 5 },
      { deleted_at: 1 },
    ];
    const ids: string[] = [];
    for (const each of columns) ids.push((await organizationOn(fixture, "pro", each)).organizationId);
    const [first, overdue, cancelled] = ids as [string, string, string];
    const free = (await organizationOn(fixture, "free")).organizationId;
    expect(await among([...ids, free], "pro")).toEqual([first, overdue]);
    expect(await among([...ids, free], "free")).toEqual([cancelled, free]);
    expect(await among(ids, "enterprise")).toEqual([]);
    expect(await read.organizationsWithLimitOf("pro", first, 1)).toEqual([overdue]);
  });

  test("when a plan loses the version module, its organizations are noted in batches, and no others", async () => {
    const without = { had_version_module: 0 } as const;
    const ours = [
      await organizationOn(fixture, "pro", without),
      await organizationOn(fixture, "pro", without),
      await organizationOn(fixture, "pro", without),
    ];
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
      const rows = await fixture.reads
        .selectFrom("organizations")
        .select("had_version_module as had")
        .where("id", "in", ids)
        .execute();
      return rows.map((row) => row.had);
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
      const [owner, member] = [await fixture.user(), await fixture.user()];
      const role_id = newId();
      await fixture.write(async (db) => {
        await updateOrganization(db, organization_id, { owner_id: owner.id });
        const role = { id: role_id, organization_id, name: "Role", permissions: "[]" };
        await db
          .insertInto("roles")
          .values({ ...role, created_at: 0, updated_at: 0 })
          .execute();
        const membership = { organization_id, user_id: member.id, role_id, created_at: 0 };
        await db.insertInto("members").values(membership).execute();
        const pending = { accepted_at: null, revoked_at: null, expires_at: nowMs + 1 };
        const states = [
          pending,
          { ...pending, expires_at: nowMs },
          { ...pending, accepted_at: 1 },
          { ...pending, revoked_at: 1 },
        ];
        for (const state of states) {
          const invitation = { id: newId(), organization_id, role_id, token_hash: newId(), ...state };
          const written = { invited_by: null, created_at: 0, accepted_by: null, mailed_at: 0 };
          await db
            .insertInto("invitations")
            .values({ ...invitation, ...written, email: `${invitation.id}@example.com` })
            .execute();
        }
      });
    }
    expect(await read.countMembers(ours.organizationId)).toBe(1);
    expect(await read.countPendingInvitations(ours.organizationId, nowMs)).toBe(1);
    expect(await read.countPendingInvitations(ours.organizationId, 0)).toBe(2);
  });
});
