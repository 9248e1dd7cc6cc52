import { expect, test } from "bun:test";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { UserRow } from "../../tables.ts";
import * as queries from "./users.ts";

onBothDatabases("the operator's queries about users", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const change = (id: string, changes: Partial<UserRow>) => write.updateUser(id, changes);

  test("users are listed newest first, also across pages that end between equal times", async () => {
    const [first, second, last] = await several(3, () => fixture.user());
    // Later than the users of any other test.
    const [early, late] = ["2120-01-01T00:00:00.000Z", "2120-01-02T00:00:00.000Z"];
    for (const { id } of [first, second, last])
      await change(id, { created_at: id === last.id ? late : early });
    expect(idsOf(await read.allUsers({ after: null, limit: 2 }))).toEqual(idsOf([last, second]));
    const [next, older] = await read.allUsers({ after: { createdAt: early, id: second.id }, limit: 2 });
    expect(next?.id).toBe(first.id);
    expect(older?.created_at).not.toStartWith("2120");
  });

  test("users are found by the beginning of their email address, in its order", async () => {
    const prefix = newId();
    const [b, a, odd] = await several(3, async () => (await fixture.user()).id);
    const ends = { [b]: "b@x.org", [a]: "a@x.org", [odd]: "%@x.org" };
    for (const [id, end] of Object.entries(ends)) await change(id, { email: `${prefix}${end}` });
    const find = async (text: string, after: string | null = null, limit = 10) => {
      const position = after === null ? null : { text: after, id: "" };
      return idsOf(await read.usersStartingWith(text, position, limit));
    };
    expect((await find(prefix)).sort()).toEqual([a, b, odd].sort());
    expect(await find(`${prefix}a`)).toEqual([a]);
    expect(await find(`${prefix}%`)).toEqual([odd]);
    expect(await find(prefix, `${prefix}a@x.org`)).toEqual([b]);
    expect(await find(prefix, `${prefix}%@x.org`, 1)).toEqual([a]);
    expect(await find(`${prefix}_`)).toEqual([]);
  });

  test("a user's organizations are those they own or belong to, without deleted ones", async () => {
    const organizationOf = async (ownerId: string, deletedAt: number | null = null) => {
      const { organizationId: id } = await fixture.organization();
      await fixture.change("organizations", id, { owner_id: ownerId, deleted_at: deletedAt });
      return id;
    };
    const other = await fixture.user();
    const joined = await organizationOf(other.id);
    const user = await fixture.member(joined);
    const owned = await organizationOf(user.id);
    await fixture.member(owned);
    await organizationOf(other.id);
    await organizationOf(user.id, 1);
    const found = await read.organizationsOfUser(user.id, 10);
    expect(found.map(({ id, owner_id }) => [id, owner_id])).toEqual([
      [joined, other.id],
      [owned, user.id],
    ]);
    expect(idsOf(await read.organizationsOfUser(user.id, 1))).toEqual([joined]);
  });

  test("a change affects one user, who can be locked as they are now", async () => {
    const [user, other] = [await fixture.user(), await fixture.user()];
    await change(user.id, { suspension_reason: "Abuse", suspended_at: 5 });
    const locked = (id: string) => write.lockedUser(id);
    expect(await locked(user.id)).toMatchObject({ id: user.id, suspension_reason: "Abuse", suspended_at: 5 });
    expect(await locked(other.id)).toMatchObject({ id: other.id, suspended_at: null });
    expect(await locked(newId())).toBeUndefined();
  });

  test("another platform admin exists only if they are someone else and not suspended", async () => {
    await fixture.write((db) => db.updateTable("users").set({ is_platform_admin: 0 }).execute());
    const [admin, other] = [await fixture.user({ admin: true }), await fixture.user()];
    const exists = () => read.anotherPlatformAdminExists(admin.id);
    expect(await exists()).toBe(false);
    await change(other.id, { is_platform_admin: 1 });
    expect(await exists()).toBe(true);
    await change(other.id, { suspended_at: 5 });
    expect(await exists()).toBe(false);
  });
});
