import { beforeAll, expect, test } from "bun:test";
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
  const pathOf = ({ userId }: { userId: string }) => `${members}/${userId}`;

  test("the list starts with the owner, then follows the order of joining, in pages", async () => {
    const first = await fixture.member(["members:view"]);
    const second = await fixture.member([]);
    type Listed = { user_id: string };
    const listed: Listed[] = (await first.api.get(members)).body.data;
    const ids = listed.map((member) => member.user_id);
    expect(ids.slice(-2)).toEqual([first.userId, second.userId]);
    expect(listed[0]).toMatchObject({ user_id: fixture.owner.userId, is_owner: true, role: null });
    expect(listed.at(-2)).toMatchObject({
      is_owner: false,
      name: "Test Person",
      role: { id: first.roleId, permissions: ["members:view"] },
    });
    const paged: string[] = [];
    for (let cursor = ""; cursor !== "null"; ) {
      const { body } = await first.api.get(`${members}?limit=1${cursor && `&cursor=${cursor}`}`);
      paged.push(...body.data.map((member: Listed) => member.user_id));
      cursor = String(body.next_cursor);
    }
    expect(paged).toEqual(ids);
  });

  test("assigning a role needs every permission of the role", async () => {
    const target = await fixture.member(["licenses:view"]);
    const narrow = await fixture.member(["roles:edit", "licenses:view"]);
    const wide = await roleWith(["licenses:view", "licenses:create"]);
    const empty = await roleWith([]);
    const refused = await narrow.api.patch(pathOf(target), { role_id: wide });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: "permissions_exceeded",
      params: { permissions: ["licenses:create"] },
    });
    expect((await narrow.api.patch(pathOf(target), { role_id: empty })).status).toBe(200);
  });

  test("a member with more permissions cannot be changed or removed, and nobody can raise their own", async () => {
    const mighty = await fixture.member(["licenses:view", "licenses:delete"]);
    const narrow = await fixture.member(["roles:edit", "members:remove"]);
    const empty = await roleWith([]);
    for (const answer of [
      await narrow.api.patch(pathOf(mighty), { role_id: empty }),
      await narrow.api.delete(pathOf(mighty)),
      await narrow.api.patch(pathOf(narrow), { role_id: mighty.roleId }),
    ])
      expect(answer.status).toBe(403);
  });

  test("a changed role and a removal apply from the next request, only here, and are recorded with the names", async () => {
    const member = await fixture.member([]);
    const elsewhere = await (await fixture.person()).api.post("/organizations", { name: "Elsewhere" });
    const [role] = (await fixture.owner.api.get(`${organization}/roles`)).body.data;
    const row = {
      organization_id: elsewhere.body.id,
      user_id: member.userId,
      role_id: role.id,
      created_at: 1,
    };
    await fixture.store.transaction((db) => db.insertInto("members").values(row).execute());
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
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "actor_id", "before", "after"])
      .where("subject_id", "=", member.userId)
      .orderBy("id")
      .execute();
    const before = JSON.stringify({ role: `Role ${member.roleId}` });
    const gone = JSON.stringify({ email: member.email, role: "Archivist" });
    expect(rows).toEqual([
      { action: "member.updated", actor_id: fixture.owner.userId, before, after: '{"role":"Archivist"}' },
      { action: "member.removed", actor_id: remover.userId, before: gone, after: null },
    ]);
  });

  test("every member can leave, whatever their role; a limited token cannot do so for them", async () => {
    const member = await fixture.member([]);
    expect((await member.api.delete(pathOf(member))).status).toBe(204);
    expect((await member.api.get(organization)).status).toBe(404);
    const limited = await fixture.person({ permissions: ["licenses:view"] });
    const row = { organization_id: fixture.organizationId, user_id: limited.userId, created_at: Date.now() };
    const roleId = await roleWith(["licenses:view"]);
    await fixture.store.transaction((db) =>
      db
        .insertInto("members")
        .values({ ...row, role_id: roleId })
        .execute(),
    );
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
    expect(unknown.status).toBe(422);
    expect(unknown.body.errors).toMatchObject([{ field: "role_id", code: "not_a_role" }]);
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
      const held = await fixture.store.reads
        .selectFrom("members")
        .innerJoin("roles", "roles.id", "members.role_id")
        .select("roles.id")
        .where("members.user_id", "=", member.userId)
        .execute();
      expect(held).toHaveLength(1);
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
      const entries = await fixture.store.reads
        .selectFrom("audit_log")
        .select("subject_id")
        .where("action", "=", "member.updated")
        .where("subject_id", "in", [editor.userId, target.userId])
        .orderBy("id")
        .execute();
      const order = entries.map((entry) => entry.subject_id);
      expect(order).toEqual(given.status === 200 ? [target.userId, editor.userId] : [editor.userId]);
    }
  });
});
