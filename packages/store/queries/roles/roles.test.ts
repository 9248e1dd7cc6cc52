import { expect, test } from "bun:test";
import { insertInvitation, insertRole } from "../../../../tests/support/people-rows.ts";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import * as membersQueries from "../members/members.ts";
import * as roles from "./roles.ts";

const nowMs = Date.UTC(2025, 0);

onBothDatabases("roles", (fixture) => {
  const { read, write } = fixture.queries({ ...membersQueries, ...roles });
  const organization = async () => (await fixture.organization()).organizationId;
  const roleIn = (organization_id: string, columns: object = {}) =>
    fixture.write((db) => insertRole(db, { organization_id, ...columns }));
  const invite = (organization_id: string, role_id: string, state: object) =>
    fixture.write((db) => insertInvitation(db, { organization_id, role_id, ...state }));
  const pageOf = async (organizationId: string, afterId: string | null, limit = 10) =>
    idsOf(await read.rolesOf(organizationId, { afterId, limit }));

  test("roles are listed in the order of their creation, in pages, and found in their organization only", async () => {
    const [own, other] = [await organization(), await organization()];
    const ids = await several(3, () => roleIn(own));
    const foreign = await roleIn(other);
    expect(await pageOf(own, null)).toEqual([...ids]);
    expect(await pageOf(own, null, 2)).toEqual(ids.slice(0, 2));
    expect(await pageOf(own, ids[1])).toEqual(ids.slice(2));
    expect(await read.roleOf(own, ids[0])).toMatchObject({ id: ids[0], organization_id: own });
    expect(await read.roleOf(own, foreign)).toBeUndefined();
  });

  test("the name of a role is taken in its organization, except by the role itself, and also for two at once", async () => {
    const [own, other] = [await organization(), await organization()];
    const seller = { name: "Seller" };
    const id = await roleIn(own, seller);
    const isTaken = (organizationId: string, name: string, exceptId: string | null = null) =>
      read.roleNameIsTaken(organizationId, name, exceptId);
    const taken = [await isTaken(own, "Seller"), await isTaken(own, "Seller", id)];
    taken.push(await isTaken(own, "Buyer"), await isTaken(other, "Seller"));
    expect(taken).toEqual([true, false, false, false]);
    await roleIn(other, seller);
    const results = await Promise.allSettled([
      roleIn(own, { name: "Raced" }),
      roleIn(own, { name: "Raced" }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("the uses of a role are its members and its pending invitations", async () => {
    const own = await organization();
    const [used, unused] = [await roleIn(own), await roleIn(own)];
    const { id: userId } = await fixture.user();
    await write.addMember({ organizationId: own, userId, roleId: used }, nowMs);
    for (const state of [{}, { expires_at: nowMs }, { revoked_at: nowMs }, { accepted_at: nowMs }])
      await invite(own, used, { expires_at: nowMs + 1, ...state });
    const uses = await read.usesOfRoles([used, unused], nowMs);
    expect(uses.get(used)).toEqual({ members: 1, invitations: 1 });
    expect(uses.get(unused)).toEqual({ members: 0, invitations: 0 });
    expect(await read.usesOfRoles([], nowMs)).toEqual(new Map());
  });

  test("a change and a removal affect one role, whose old invitations are removed with it", async () => {
    const own = await organization();
    const [gone, left] = [await roleIn(own), await roleIn(own)];
    for (const roleId of [gone, left]) await invite(own, roleId, { expires_at: nowMs });
    await write.updateRole(gone, { name: "Changed", permissions: '["licenses:view"]' });
    expect(await read.roleOf(own, gone)).toMatchObject({ name: "Changed", permissions: '["licenses:view"]' });
    expect((await read.roleOf(own, left))?.name).not.toBe("Changed");
    await write.removeRole(gone);
    expect(await pageOf(own, null)).toEqual([left]);
    const invited = await fixture.rows("invitations", { organization_id: own });
    expect(invited).toMatchObject([{ role_id: left }]);
  });
});
