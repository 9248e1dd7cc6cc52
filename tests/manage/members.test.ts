import { beforeAll, expect, test } from "bun:test";
import { addMember } from "@countersign/store/queries/members/members";
import { auditOf } from "../support/audit-of.ts";
import { listPages } from "../support/list-pages.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

/** Who may call these routes is tested in tests/routes. */
testsOn("postgres", "members", openManageFixture, (fixture) => {
  let organization: string;
  let members: string;
  beforeAll(async () => {
    organization = `/organizations/${fixture.organizationId}`;
    members = `${organization}/members`;
  });

  const roleWith = async (permissions: readonly string[], name = `Role ${crypto.randomUUID()}`) => {
    const made = await fixture.owner.api.post(`${organization}/roles`, { name, permissions });
    return String(made.body.id);
  };
  const join = (organizationId: string, { userId }: { userId: string }, roleId: string) =>
    fixture.store.transaction((db) => addMember(db, { organizationId, userId, roleId }, Date.now()));
  const pathOf = ({ userId }: { userId: string }) => `${members}/${userId}`;

  test("the list starts with the owner, then follows the order of joining, in pages", async () => {
    const first = await fixture.member(["members:view"]);
    const second = await fixture.member([]);
    type Listed = { user_id: string };
    const listed: Listed[] = (await first.api.get(members)).body.data;
    const ids = listed.map((member) => member.user_id);
    expect(ids.slice(-2)).toEqual([first.userId, second.userId]);
    expect(listed[0]).toMatchObject({ user_id: fixture.owner.userId, is_owner: true, role: null });
    const role = { id: first.roleId, permissions: ["members:view"] };
    expect(listed.at(-2)).toMatchObject({ is_owner: false, name: "Test Person", role });
    const paged = await listPages(first.api, `${members}?limit=1`, ({ user_id }) => user_id);
    expect(paged).toEqual(ids.map((id) => [id]));
  });

  /** Which changes are allowed is tested in the domain. */
  test("nobody gives, takes or removes permissions that they do not have, not even for themselves", async () => {
    const [target, mighty] = [
      await fixture.member(["licenses:view"]),
      await fixture.member(["licenses:view", "licenses:delete"]),
    ];
    const narrow = await fixture.member(["roles:edit", "members:remove", "licenses:view"]);
    const empty = await roleWith([]);
    const assign = (to: { userId: string }, role_id: string) => narrow.api.patch(pathOf(to), { role_id });
    const params = { permissions: ["licenses:delete"] };
    for (const [code, refused] of [
      ["permissions_exceeded", await assign(target, mighty.roleId)],
      ["permissions_exceeded", await assign(narrow, mighty.roleId)],
      ["outranked", await assign(mighty, empty)],
      ["outranked", await narrow.api.delete(pathOf(mighty))],
    ] as const)
      expect(refused).toMatchObject({ status: 403, body: { code, params } });
    expect((await assign(target, empty)).status).toBe(200);
  });

  test("a changed role and a removal apply from the next request, only here, and are recorded with the names", async () => {
    const member = await fixture.member([]);
    const elsewhere = await (await fixture.person()).api.post("/organizations", { name: "Elsewhere" });
    const [role] = (await fixture.owner.api.get(`${organization}/roles`)).body.data;
    await join(elsewhere.body.id, member, role.id);
    const statusOf = async () => (await member.api.get(members)).status;
    expect(await statusOf()).toBe(403);
    const role_id = await roleWith(["members:view"], "Archivist");
    const changed = await fixture.owner.api.patch(pathOf(member), { role_id });
    expect(changed.body).toMatchObject({ user_id: member.userId, role: { id: role_id } });
    expect(await statusOf()).toBe(200);
    const remover = await fixture.member(["members:view", "members:remove"]);
    expect((await remover.api.delete(pathOf(member))).status).toBe(204);
    expect(await statusOf()).toBe(404);
    const left = (await member.api.get("/organizations")).body.data;
    expect(left).toMatchObject([{ id: elsewhere.body.id }]);
    expect((await remover.api.delete(pathOf(member))).status).toBe(404);
    const before = JSON.stringify({ role: `Role ${member.roleId}` });
    const gone = JSON.stringify({ email: member.email, role: "Archivist" });
    expect(await auditOf(fixture, member.userId)).toMatchObject([
      { action: "member.updated", actor_id: fixture.owner.userId, before, after: '{"role":"Archivist"}' },
      { action: "member.removed", actor_id: remover.userId, before: gone, after: null },
    ]);
  });

  test("every member can leave, whatever their role; a limited token cannot do so for them", async () => {
    const member = await fixture.member([]);
    expect((await member.api.delete(pathOf(member))).status).toBe(204);
    expect((await member.api.get(organization)).status).toBe(404);
    const limited = await fixture.person({ permissions: ["licenses:view"] });
    await join(fixture.organizationId, limited, await roleWith(["licenses:view"]));
    expect((await limited.api.delete(pathOf(limited))).status).toBe(403);
  });

  test("the owner can neither leave nor be removed nor get a role", async () => {
    const remover = await fixture.member(["members:remove", "roles:edit"]);
    const owner = pathOf(fixture.owner);
    for (const answer of [
      await fixture.owner.api.delete(owner),
      await remover.api.delete(owner),
      await remover.api.patch(owner, { role_id: remover.roleId }),
    ])
      expect(answer.status).toBe(409);
    expect((await fixture.owner.api.get(members)).body.data[0].user_id).toBe(fixture.owner.userId);
  });

  test("an unknown role and a stale update are refused", async () => {
    const member = await fixture.member([]);
    const change = (body: object) => fixture.owner.api.patch(pathOf(member), body);
    const unknown = await change({ role_id: "no-such-role" });
    expect(unknown.body).toMatchObject({ status: 422, errors: [{ field: "role_id", code: "not_a_role" }] });
    const role = await roleWith([]);
    const { updated_at } = (await change({ role_id: role })).body;
    expect((await change({ role_id: member.roleId, updated_at })).status).toBe(200);
    expect((await change({ role_id: role, updated_at })).status).toBe(412);
  });

  test("assigning a role while it is deleted leaves nobody without a role", async () => {
    const member = await fixture.member([]);
    for (let round = 0; round < 5; round++) {
      const role = await roleWith([]);
      const [given, deleted] = await Promise.all([
        fixture.owner.api.patch(pathOf(member), { role_id: role }),
        fixture.owner.api.delete(`${organization}/roles/${role}`),
      ]);
      expect([given.status, deleted.status].sort()).toEqual(given.status === 200 ? [200, 409] : [204, 422]);
      const [held] = await fixture.stored("members", { user_id: member.userId });
      expect(await fixture.stored("roles", { id: String(held?.role_id) })).toHaveLength(1);
    }
  });

  test("a permission revoked during a request cannot be granted by it", async () => {
    for (let round = 0; round < 5; round++) {
      const editor = await fixture.member(["roles:edit", "licenses:delete"]);
      const target = await fixture.member([]);
      const mighty = await roleWith(["licenses:delete"]);
      const empty = await roleWith([]);
      const [given, taken] = await Promise.all([
        editor.api.patch(pathOf(target), { role_id: mighty }),
        fixture.owner.api.patch(pathOf(editor), { role_id: empty }),
      ]);
      expect(taken.status).toBe(200);
      expect([200, 403]).toContain(given.status);
      const subject_id = [editor.userId, target.userId];
      const entries = await fixture.stored("audit_log", { action: "member.updated", subject_id });
      const order = entries.map((entry) => entry.subject_id);
      expect(order).toEqual(given.status === 200 ? [target.userId, editor.userId] : [editor.userId]);
    }
  });
});
