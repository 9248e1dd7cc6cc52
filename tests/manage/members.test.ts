import { beforeAll, expect, test } from "bun:test";
import { permissions } from "@countersign/domain/members/permissions";
import { addMember } from "@countersign/store/queries/members/members";
import { refusedFields, statusesAtOnce } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import { listPages } from "../support/list-pages.ts";
import { manageClient } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

/** Who may call these routes is tested in tests/routes, and which changes are allowed in the domain. */
testsOn("postgres", "members and roles", openManageFixture, (fixture) => {
  let organization: string;
  let members: string;
  let roles: string;
  beforeAll(() => {
    organization = `/organizations/${fixture.organizationId}`;
    members = `${organization}/members`;
    roles = `${organization}/roles`;
  });

  const create = async (codes: readonly string[], name = `Role ${crypto.randomUUID()}`) => {
    const made = await fixture.owner.api.post(roles, { name, permissions: codes });
    expect(made.status).toBe(201);
    return made.body;
  };
  const roleWith = async (codes: readonly string[]): Promise<string> => (await create(codes)).id;
  const join = (organizationId: string, { userId }: { userId: string }, roleId: string) =>
    fixture.store.transaction((db) => addMember(db, { organizationId, userId, roleId }, Date.now()));
  const pathOf = ({ userId }: { userId: string }) => `${members}/${userId}`;

  test("members are listed in pages, the owner first, and then in the order of joining", async () => {
    const first = await fixture.member(["members:view"]);
    const second = await fixture.member([]);
    const listed: { user_id: string }[] = (await first.api.get(members)).body.data;
    const ids = listed.map((member) => member.user_id);
    expect(ids.slice(-2)).toEqual([first.userId, second.userId]);
    expect(listed[0]).toMatchObject({ user_id: fixture.owner.userId, is_owner: true, role: null });
    const role = { id: first.roleId, permissions: ["members:view"] };
    expect(listed.at(-2)).toMatchObject({ is_owner: false, name: "Test Person", role });
    const paged = await listPages(first.api, `${members}?limit=1`, ({ user_id }) => user_id);
    expect(paged).toEqual(ids.map((id) => [id]));
  });

  test("nobody gives, takes or removes permissions of a member that they do not have, not even for themselves", async () => {
    const target = await fixture.member(["licenses:view"]);
    const mighty = await fixture.member(["licenses:view", "licenses:delete"]);
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

  test("nobody creates or changes a role with permissions that they do not have, not even their own or with a token", async () => {
    const editor = await fixture.member(["roles:edit", "licenses:view"]);
    const allowed = { name: "Limited", permissions: ["roles:edit", "licenses:view"] };
    const { body } = await fixture.owner.api.post("/me/access-tokens", allowed);
    const exceeded = { code: "permissions_exceeded", params: { permissions: ["licenses:delete"] } };
    for (const api of [editor.api, manageClient(fixture.server.url, body.token)]) {
      const name = `Role ${crypto.randomUUID()}`;
      const refused = await api.post(roles, { name, permissions: ["licenses:delete"] });
      expect(refused).toMatchObject({ status: 403, body: exceeded });
      expect((await api.post(roles, { name, permissions: ["licenses:view"] })).status).toBe(201);
    }
    const mightier = `${roles}/${await roleWith(["licenses:view", "licenses:delete"])}`;
    expect((await editor.api.delete(mightier)).status).toBe(403);
    const own = `${roles}/${editor.roleId}`;
    for (const [path, changes, status] of [
      [mightier, { name: "Taken" }, 403],
      [mightier, { permissions: [] }, 403],
      [own, { permissions: ["roles:edit", "licenses:view", "licenses:delete"] }, 403],
      [own, { permissions: ["roles:edit"] }, 200],
      [own, { permissions: ["roles:edit", "licenses:view"] }, 403],
    ] as const)
      expect((await editor.api.patch(path, changes)).status).toBe(status);
  });

  test("a changed role and a removal apply from the next request, in one organization, and are recorded by name", async () => {
    const member = await fixture.member([]);
    const elsewhere = await (await fixture.person()).api.post("/organizations", { name: "Elsewhere" });
    await join(elsewhere.body.id, member, member.roleId);
    const statusOf = async () => (await member.api.get(members)).status;
    expect(await statusOf()).toBe(403);
    const { id: role_id } = await create(["members:view"], "Archivist");
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

  test("every member can leave, but not by a limited token; the owner cannot leave, be removed or get a role", async () => {
    const member = await fixture.member([]);
    expect((await member.api.delete(pathOf(member))).status).toBe(204);
    expect((await member.api.get(organization)).status).toBe(404);
    const limited = await fixture.person({ permissions: ["licenses:view"] });
    await join(fixture.organizationId, limited, await roleWith(["licenses:view"]));
    expect((await limited.api.delete(pathOf(limited))).status).toBe(403);
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

  test("a role can be created, read, listed, changed and deleted, and the audit log records it", async () => {
    const made = await create(["licenses:create", "licenses:view", "licenses:view"], "Seller");
    const unused = { member_count: 0, invitation_count: 0 };
    expect(made).toMatchObject({
      name: "Seller",
      permissions: ["licenses:view", "licenses:create"],
      ...unused,
    });
    const path = `${roles}/${made.id}`;
    expect((await fixture.owner.api.get(path)).body).toEqual(made);
    const changed = await fixture.owner.api.patch(path, { name: "Shop", permissions: ["licenses:view"] });
    expect(changed.body).toMatchObject({ id: made.id, name: "Shop", permissions: ["licenses:view"] });
    const whole = (await fixture.owner.api.get(`${roles}?limit=200`)).body;
    expect([whole.data.at(-1), whole.next_cursor]).toEqual([changed.body, null]);
    const ids = whole.data.map(({ id }: { id: string }) => [id]);
    expect(await listPages(fixture.owner.api, `${roles}?limit=1`)).toEqual(ids);
    expect((await fixture.owner.api.delete(path)).status).toBe(204);
    expect((await fixture.owner.api.get(path)).status).toBe(404);
    const created = '{"name":"Seller","permissions":["licenses:view","licenses:create"]}';
    const updated = '{"name":"Shop","permissions":["licenses:view"]}';
    expect(await auditOf(fixture, made.id)).toMatchObject([
      { action: "role.created", before: null, after: created },
      { action: "role.updated", before: created, after: updated },
      { action: "role.deleted", before: updated, after: null },
    ]);
  });

  test("a new organization has default roles in its language, which can be edited like any other", async () => {
    const namesIn = async (path: string) =>
      (await fixture.owner.api.get(path)).body.data.map((role: { name: string }) => role.name);
    const rolesOfNew = async (settings: object) => {
      const { body } = await fixture.owner.api.post("/organizations", { name: "Fresh", ...settings });
      return `/organizations/${body.id}/roles`;
    };
    const path = await rolesOfNew({});
    const [administrator, support, readOnly] = (await fixture.owner.api.get(path)).body.data;
    expect(administrator.permissions).toEqual([...permissions]);
    const changes = { name: "Help desk", permissions: [] };
    expect((await fixture.owner.api.patch(`${path}/${support.id}`, changes)).body).toMatchObject(changes);
    expect((await fixture.owner.api.delete(`${path}/${readOnly.id}`)).status).toBe(204);
    expect(await namesIn(path)).toEqual(["Administrator", "Help desk"]);
    const spanish = await namesIn(await rolesOfNew({ locale: "es" }));
    expect(spanish).toEqual(["Administrador", "Soporte", "Solo lectura"]);
  });

  test("each permission is listed with its description", async () => {
    const { data } = (await (await fixture.person()).api.get("/permissions")).body;
    type Listed = { code: string; description: string };
    expect(data.map(({ code }: Listed) => code)).toEqual([...permissions]);
    expect(data.every(({ description }: Listed) => description.length > 8)).toBe(true);
  });

  test("names of roles are unique within an organization, also for concurrent requests", async () => {
    const taken = await create([], "Unique");
    const again = await fixture.owner.api.post(roles, { name: " Unique ", permissions: [] });
    const nameTaken = { code: "role_name_taken", params: { name: "Unique" }, errors: [{ field: "name" }] };
    expect(again).toMatchObject({ status: 409, body: nameTaken });
    for (const [id, status] of [
      [await roleWith([]), 409],
      [taken.id, 200],
    ])
      expect((await fixture.owner.api.patch(`${roles}/${id}`, { name: "Unique" })).status).toBe(status);
    const wanted = { name: "Wanted", permissions: [] };
    const statuses = await statusesAtOnce(4, () => fixture.owner.api.post(roles, wanted));
    expect(statuses).toEqual([201, 409, 409, 409]);
  });

  test("a role with members or invitations cannot be deleted, and the response counts them", async () => {
    const member = await fixture.member([]);
    const path = `${roles}/${member.roleId}`;
    const invited = { email: `${crypto.randomUUID()}@example.com`, role_id: member.roleId };
    const { body: invitation } = await fixture.owner.api.post(`${organization}/invitations`, invited);
    expect((await fixture.owner.api.get(path)).body).toMatchObject({ member_count: 1, invitation_count: 1 });
    const inUse = { code: "role_in_use", params: { members: 1, invitations: 1 } };
    expect(await fixture.owner.api.delete(path)).toMatchObject({ status: 409, body: inUse });
    await fixture.owner.api.delete(pathOf(member));
    expect((await fixture.owner.api.delete(path)).body.params).toEqual({ members: 0, invitations: 1 });
    await fixture.owner.api.delete(`${organization}/invitations/${invitation.id}`);
    expect((await fixture.owner.api.delete(path)).status).toBe(204);
  });

  test("wrong fields of a role and a member are named, and stale updates are refused", async () => {
    const wrong = await fixture.owner.api.post(roles, { name: "", permissions: ["everything"] });
    expect(refusedFields(wrong)).toEqual([422, "name", "permissions.0"]);
    const member = await fixture.member([]);
    const unknown = await fixture.owner.api.patch(pathOf(member), { role_id: "no-such-role" });
    expect(unknown.body).toMatchObject({ status: 422, errors: [{ field: "role_id", code: "not_a_role" }] });
    const role = await create([]);
    const given = await fixture.owner.api.patch(pathOf(member), { role_id: role.id });
    const statuses: number[] = [];
    for (const [path, change] of [
      [`${roles}/${role.id}`, { name: `A ${role.id}`, updated_at: role.updated_at }],
      [pathOf(member), { role_id: member.roleId, updated_at: given.body.updated_at }],
    ] as const)
      for (const _ of [1, 2]) statuses.push((await fixture.owner.api.patch(path, change)).status);
    expect(statuses).toEqual([200, 412, 200, 412]);
  });

  test("assigning a role while it is deleted leaves nobody without a role", async () => {
    const member = await fixture.member([]);
    for (let round = 0; round < 5; round++) {
      const role = await roleWith([]);
      const [given, deleted] = await Promise.all([
        fixture.owner.api.patch(pathOf(member), { role_id: role }),
        fixture.owner.api.delete(`${roles}/${role}`),
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
      const [mighty, empty] = [await roleWith(["licenses:delete"]), await roleWith([])];
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
