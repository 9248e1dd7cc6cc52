import { expect, test } from "bun:test";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { insertRole } from "../../../../tests/support/people-rows.ts";
import { idsOf, onBothDatabases, pages, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { addMember } from "../members/members.ts";
import * as organizations from "./organizations.ts";
import { createOrganization, lockedAllowance } from "./organizations.ts";

onBothDatabases("organizations", (fixture) => {
  const { read, write } = fixture.queries(organizations);
  const { user } = fixture;

  /** Creates an organization, which this user may own, and changes it. */
  const created = async (ownerId: string | null, changes: Partial<OrganizationRow> = {}): Promise<string> => {
    const id = newId();
    await write.createOrganization({ id, name: "Acme", slug: id, plan: "free", ownerId }, 1_000);
    if (Object.keys(changes).length > 0) await write.updateOrganization(id, changes);
    return id;
  };
  const join = (organizationId: string, userId: string, permissions: string) =>
    fixture.write(async (db) => {
      const roleId = await insertRole(db, { organization_id: organizationId, permissions });
      await addMember(db, { organizationId, userId, roleId }, 0);
    });
  const firstPage = { afterId: null, limit: 100 };

  test("a new organization is active and has no owner unless one is named", async () => {
    const id = await created(null);
    expect(await read.organizationById(id)).toMatchObject({
      ...{ plan: "free", billing_state: "active", owner_id: null, locale: "en", time_zone: "UTC" },
      ...{ created_at: 1_000, deleted_at: null },
    });
  });

  test("a slug is taken by any other organization, also if several want it at the same time", async () => {
    const [one, other] = await several(2, () => created(null));
    expect(await read.slugIsTaken(one, null)).toBe(true);
    expect(await read.slugIsTaken(one, other)).toBe(true);
    expect(await read.slugIsTaken(one, one)).toBe(false);
    expect(await read.slugIsTaken(newId(), null)).toBe(false);
    const create = (slug: string) =>
      write.createOrganization({ id: newId(), name: "Second", slug, plan: "free" }, 1_000);
    expect(await create(one)).toBe(false);
    expect(await read.organizationBySlug(one)).toMatchObject({ id: one, name: "Acme" });
    const results = await Promise.all(Array.from({ length: 5 }, () => create(`${one}-2`)));
    expect(results.filter((wasCreated) => wasCreated)).toHaveLength(1);
  });

  test("a user's organizations are those they own or are a member of, with their role, and further ones that exist", async () => {
    const [person, stranger] = [await user(), await user()];
    const owned = await created(person.id);
    const joined = await created(stranger.id);
    await join(joined, person.id, '["licenses:view"]');
    await join(owned, stranger.id, "[]");
    const [further, foreign] = [await created(null), await created(stranger.id)];
    const deleted = await created(null, { deleted_at: 1 });
    const list = async (...furtherIds: string[]) => {
      const rows = await read.organizationsOf(person.id, firstPage, furtherIds);
      return rows.map((row) => [row.id, row.role_permissions]);
    };
    const own = [
      [owned, null],
      [joined, '["licenses:view"]'],
    ];
    expect(await list()).toEqual(own);
    expect(await list(further, deleted)).toEqual([...own, [further, null]]);
    expect((await list(owned)).map(([id]) => id)).not.toContain(foreign);
  });

  test("a user's organizations are listed by ID, in pages that neither repeat nor omit one", async () => {
    const person = await user();
    const ids = await several(3, () => created(person.id));
    const found = await pages((last: { id: string } | null) =>
      read.organizationsOf(person.id, { afterId: last?.id ?? null, limit: 2 }),
    );
    expect(found.map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });

  test("an allowance counts every organization of the user, and the plans of those that are paid for", async () => {
    const [person, other] = [await user(), await user({ admin: true })];
    await created(person.id, { plan: "free" });
    await created(person.id, { plan: "pro", billing_state: "grace" });
    await created(person.id, { plan: "enterprise", billing_state: "cancelled" });
    await created(person.id, { plan: "enterprise", suspended_at: 1 });
    await created(other.id, { plan: "enterprise" });
    await fixture.change("users", other.id, { organization_allowance: 7 });
    const allowance = async (userId: string) => {
      const facts = await write.lockedAllowance(userId);
      return { ...facts, ownedPlans: facts.ownedPlans.toSorted() };
    };
    const mine = { count: 4, ownedPlans: ["free", "pro"], override: null, isPlatformAdmin: false };
    expect(await allowance(person.id)).toEqual(mine as never);
    const theirs = { count: 1, ownedPlans: ["enterprise"], override: 7, isPlatformAdmin: true };
    expect(await allowance(other.id)).toEqual(theirs as never);
  });

  test("organizations that a user gains at the same time are counted one after the other", async () => {
    const person = await user();
    const gain = () =>
      fixture.write(async (db) => {
        const { count } = await lockedAllowance(db, person.id);
        const id = newId();
        await createOrganization(db, { id, name: "Acme", slug: id, plan: "free", ownerId: person.id }, 1_000);
        return count;
      });
    const counts = await Promise.all(Array.from({ length: 4 }, gain));
    expect(counts.toSorted()).toEqual([0, 1, 2, 3]);
  });

  test("a suspension and a payment state change only this organization", async () => {
    const [changed, other] = [await created(null), await created(null)];
    const before = await read.organizationById(other);
    await write.suspendOrganization(changed, "Abuse", 2_000);
    await write.setBillingState(changed, "grace", 3_000);
    expect(await read.organizationById(changed)).toMatchObject({
      ...{ suspended_at: 2_000, suspension_reason: "Abuse", billing_state: "grace", updated_at: 3_000 },
    });
    expect(await read.organizationById(other)).toEqual(before);
  });
});
