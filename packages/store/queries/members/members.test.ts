import { expect, test } from "bun:test";
import { insertRole } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as queries from "./members.ts";

onBothDatabases("members", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const organization = async () => (await fixture.organization()).organizationId;
  const roleIn = (organizationId: string, permissions = "[]") =>
    fixture.write((db) => insertRole(db, { organization_id: organizationId, permissions }));
  const join = async (organizationId: string, roleId: string, joinedAtMs = 0) => {
    const { id: userId } = await fixture.user({ name: "Ada" });
    await write.addMember({ organizationId, userId, roleId }, joinedAtMs);
    return userId;
  };
  const idsOf = async (organizationId: string) =>
    (await read.membersOf(organizationId, { after: null, limit: 10 })).map((row) => row.user_id);

  test("members are listed in the order in which they joined, in pages, without those of others", async () => {
    const [own, other] = [await organization(), await organization()];
    const roleId = await roleIn(own);
    const joined: string[] = [];
    for (const joinedAtMs of [20, 10, 20, 30]) joined.push(await join(own, roleId, joinedAtMs));
    await join(other, await roleIn(other));
    const found = await pages((last: { created_at: number; user_id: string } | null) => {
      const after = last && { joinedAtMs: Number(last.created_at), userId: last.user_id };
      return read.membersOf(own, { after, limit: 1 });
    });
    const expected = [1, 0, 2, 3].map((index) => [joined[index]]);
    expect(found.map((page) => page.map((row) => row.user_id))).toEqual(expected as string[][]);
  });

  test("a member has a user and a role, in their own organization only", async () => {
    const [own, other] = [await organization(), await organization()];
    const roleId = await roleIn(own, '["licenses:view"]');
    const userId = await join(own, roleId);
    const user = { user_id: userId, name: "Ada", email: `${userId}@example.com`, suspended_at: null };
    const role = { role_name: `Role ${roleId}`, role_permissions: '["licenses:view"]' };
    expect(await read.memberOf(own, userId)).toMatchObject({ ...user, ...role });
    expect(await read.memberOf(other, userId)).toBeUndefined();
    await expect(write.addMember({ organizationId: own, userId, roleId }, 0)).rejects.toThrow();
  });

  test("a changed role and a removal affect one member of one organization", async () => {
    const [own, other] = [await organization(), await organization()];
    const roles = { own: await roleIn(own), next: await roleIn(own), other: await roleIn(other) };
    const userId = await join(own, roles.own);
    const colleagueId = await join(own, roles.own);
    await write.addMember({ organizationId: other, userId, roleId: roles.other }, 0);
    const roleOf = async (organizationId: string, id: string) =>
      (await read.memberOf(organizationId, id))?.role_id;
    await write.setMemberRole(own, userId, { role_id: roles.next, updated_at: 7 });
    expect(await roleOf(own, userId)).toBe(roles.next);
    expect(await roleOf(own, colleagueId)).toBe(roles.own);
    expect(await roleOf(other, userId)).toBe(roles.other);
    await write.removeMember(own, userId);
    expect([await idsOf(own), await idsOf(other)]).toEqual([[colleagueId], [userId]]);
  });

  test("a member has the permissions of their role in the organization, and an outsider none", async () => {
    const { organizationId } = await fixture.organization();
    const { organizationId: otherId } = await fixture.organization();
    const { id: userId } = await fixture.user();
    const role = { organization_id: organizationId, permissions: '["a"]' };
    const roleId = await fixture.write((db) => insertRole(db, role));
    await write.addMember({ organizationId, userId, roleId }, 0);
    expect(await read.memberPermissions(organizationId, userId)).toBe('["a"]');
    expect(await read.memberPermissions(otherId, userId)).toBeNull();
    expect(await read.memberPermissions(organizationId, newId())).toBeNull();
  });
});
