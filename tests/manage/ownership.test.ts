import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";

describe.each(databases)("the number of organizations a user can own on $kind", ({ make }) => {
  const create = async (person: Person, name: string) =>
    (await person.api.post("/organizations", { name })).status;
  const setPlan = (fixture: ManageFixture, id: string, plan: string) =>
    fixture.admin.api.patch(`/admin/organizations/${id}`, { plan });

  test("is two if anyone can sign up, even if every new organization is on Enterprise", async () => {
    const fixture = await openManageFixture(make, { COUNTERSIGN_SIGN_UP: "open" });
    const person = await fixture.person();
    const made = await Promise.all(["One", "Two", "Three", "Four"].map((name) => create(person, name)));
    expect(made.sort()).toEqual([201, 201, 403, 403]);
    expect(await create(fixture.admin, "A")).toBe(201);
    expect(await create(fixture.admin, "B")).toBe(201);
    expect(await create(fixture.admin, "C")).toBe(403);
    await fixture.close();
  });

  test("depends on the plans of the organizations they own, not on the default plan", async () => {
    const fixture = await openManageFixture(make, { COUNTERSIGN_DEFAULT_PLAN: "free" });
    const person = await fixture.person();
    const { body: first } = await person.api.post("/organizations", { name: "One" });
    expect(await create(person, "Two")).toBe(201);
    expect(await create(person, "Three")).toBe(403);
    await setPlan(fixture, first.id, "enterprise");
    expect(await create(person, "Three")).toBe(201);
    await setPlan(fixture, first.id, "pro");
    expect(await create(person, "Four")).toBe(403);
    for (const name of ["A", "B", "C"]) expect(await create(fixture.admin, name)).toBe(201);
    await fixture.close();
  });
});

describe.each(databases)("ownership on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    // On Free, a user can own two.
    fixture = await openManageFixture(make, { COUNTERSIGN_DEFAULT_PLAN: "free" });
  });
  afterAll(() => fixture.close());

  interface Firm {
    readonly id: string;
    readonly path: string;
    readonly owner: Person;
    readonly roleId: string;
  }

  const firm = async (): Promise<Firm> => {
    const owner = await fixture.person();
    const made = await owner.api.post("/organizations", { name: "Firm" });
    const path = `/organizations/${made.body.id}`;
    const role = await owner.api.post(`${path}/roles`, { name: "Alumni", permissions: ["members:view"] });
    return { id: made.body.id, path, owner, roleId: role.body.id };
  };
  const ownerOf = async (id: string) =>
    (
      await fixture.store.reads
        .selectFrom("organizations")
        .select("owner_id")
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
    ).owner_id;
  const memberIds = async (id: string) =>
    (
      await fixture.store.reads
        .selectFrom("members")
        .innerJoin("roles", "roles.id", "members.role_id")
        .select("members.user_id")
        .where("members.organization_id", "=", id)
        .execute()
    ).map((row) => row.user_id);

  test("owner and member swap roles and keep their joining dates", async () => {
    const { id, path, owner, roleId } = await firm();
    const heir = await fixture.member([], id);
    const before = (await owner.api.get(`${path}/members`)).body.data;
    const handed = await owner.api.post(`${path}/transfer-ownership`, {
      user_id: heir.userId,
      role_id: roleId,
    });
    expect(handed.status).toBe(200);
    expect(handed.body).toMatchObject({
      owner_id: heir.userId,
      is_owner: false,
      permissions: ["members:view"],
    });
    const after = (await heir.api.get(`${path}/members`)).body.data;
    expect(after.map((member: { user_id: string }) => member.user_id)).toEqual([heir.userId, owner.userId]);
    expect(after[0]).toMatchObject({ is_owner: true, role: null, joined_at: before[1].joined_at });
    expect(after[1]).toMatchObject({ is_owner: false, role: { id: roleId }, joined_at: before[0].joined_at });
    expect((await owner.api.patch(path, { name: "Mine" })).status).toBe(403);
    expect((await heir.api.patch(path, { name: "Theirs" })).status).toBe(200);
    const back = { user_id: owner.userId, role_id: roleId };
    expect((await heir.api.post(`${path}/transfer-ownership`, back)).body.owner_id).toBe(owner.userId);
  });

  test("only the owner can transfer ownership, only to a member, with a role of the organization", async () => {
    const { id, path, owner, roleId } = await firm();
    const mighty = await fixture.member(["organization:manage", "roles:edit", "members:remove"], id);
    const outsider = await fixture.person();
    const transfer = `${path}/transfer-ownership`;
    const body = { user_id: mighty.userId, role_id: roleId };
    expect((await mighty.api.post(transfer, body)).status).toBe(403);
    expect((await outsider.api.post(transfer, body)).status).toBe(404);
    expect((await fixture.anonymous.post(transfer, body)).status).toBe(401);
    for (const [wrong, field] of [
      [{ user_id: outsider.userId, role_id: roleId }, "user_id"],
      [{ user_id: owner.userId, role_id: roleId }, "user_id"],
      [{ user_id: "nobody", role_id: roleId }, "user_id"],
      [{ user_id: mighty.userId, role_id: "no-role" }, "role_id"],
      [{ user_id: mighty.userId }, "role_id"],
    ] as const) {
      const refused = await owner.api.post(transfer, wrong);
      expect(refused.status).toBe(422);
      expect(refused.body.errors[0].field).toBe(field);
    }
    expect(await ownerOf(id)).toBe(owner.userId);
  });

  test("ownership cannot be transferred to a suspended user or one at their limit", async () => {
    const { id, path, owner, roleId } = await firm();
    const full = await fixture.member([], id);
    await full.api.post("/organizations", { name: "One" });
    await full.api.post("/organizations", { name: "Two" });
    const refused = await owner.api.post(`${path}/transfer-ownership`, {
      user_id: full.userId,
      role_id: roleId,
    });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: "new_owner_organization_limit_reached",
      params: { count: 2 },
    });
    const suspended = await fixture.member([], id);
    await fixture.store.transaction((db) =>
      db.updateTable("users").set({ suspended_at: 1 }).where("id", "=", suspended.userId).execute(),
    );
    const body = { user_id: suspended.userId, role_id: roleId };
    expect((await owner.api.post(`${path}/transfer-ownership`, body)).status).toBe(409);
    expect(await ownerOf(id)).toBe(owner.userId);
  });

  test("concurrent transfers leave one owner and lose no member", async () => {
    for (let round = 0; round < 4; round++) {
      const { id, path, owner, roleId } = await firm();
      const heirs = await Promise.all([
        fixture.member([], id),
        fixture.member([], id),
        fixture.member([], id),
      ]);
      const answers = await Promise.all(
        heirs.map((heir) =>
          owner.api.post(`${path}/transfer-ownership`, { user_id: heir.userId, role_id: roleId }),
        ),
      );
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      const ownerId = await ownerOf(id);
      const everyone = [owner, ...heirs].map((person) => person.userId);
      expect(everyone).toContain(ownerId ?? "");
      expect([...(await memberIds(id)), ownerId].sort()).toEqual([...everyone].sort());
    }
  });

  test("a transfer while the new owner leaves results in an owner who is in the organization", async () => {
    for (let round = 0; round < 4; round++) {
      const { id, path, owner, roleId } = await firm();
      const heir = await fixture.member([], id);
      const [handed, left] = await Promise.all([
        owner.api.post(`${path}/transfer-ownership`, { user_id: heir.userId, role_id: roleId }),
        heir.api.delete(`${path}/members/${heir.userId}`),
      ]);
      const ownerId = await ownerOf(id);
      if (handed.status === 200) {
        expect(left.status).toBe(409);
        expect(ownerId).toBe(heir.userId);
        expect(await memberIds(id)).toEqual([owner.userId]);
      } else {
        expect([handed.status, left.status]).toEqual([422, 204]);
        expect(ownerId).toBe(owner.userId);
        expect(await memberIds(id)).toEqual([]);
      }
    }
  });

  test("concurrent transfers to one user stay within their limit", async () => {
    const firms = await Promise.all([firm(), firm(), firm(), firm()]);
    const heir = await fixture.person();
    await fixture.store.transaction(async (db) => {
      for (const { id, roleId } of firms) {
        await db
          .insertInto("members")
          .values({ organization_id: id, user_id: heir.userId, role_id: roleId, created_at: 1 })
          .execute();
      }
    });
    const answers = await Promise.all([
      ...firms.map(({ path, owner, roleId }) =>
        owner.api.post(`${path}/transfer-ownership`, { user_id: heir.userId, role_id: roleId }),
      ),
      heir.api.post("/organizations", { name: "Own" }),
    ]);
    expect(answers.filter((answer) => answer.status < 300)).toHaveLength(2);
    const owned = await fixture.store.reads
      .selectFrom("organizations")
      .select("id")
      .where("owner_id", "=", heir.userId)
      .execute();
    expect(owned).toHaveLength(2);
  });

  test("both are notified by email, and nobody if the transfer is refused", async () => {
    const { id, path, owner, roleId } = await firm();
    const heir = await fixture.member([], id);
    const otherUser = await fixture.person();
    const hand = (userId: string) =>
      owner.api.post(`${path}/transfer-ownership`, { user_id: userId, role_id: roleId });
    expect((await hand(otherUser.userId)).status).toBe(422);
    expect((await hand(owner.userId)).status).toBe(422);
    expect((await hand(heir.userId)).status).toBe(200);
    const emails = await openedEmails(fixture.store, { to: [owner.email, heir.email, otherUser.email] });
    expect(emails.map(({ recipient, kind }) => [recipient, kind])).toEqual([
      [heir.email, "ownership_received"],
      [owner.email, "ownership_handed_over"],
    ]);
    expect(emails[1]?.body_text).toContain("with the role Alumni");
  });

  test("the audit log records the old and the new owner", async () => {
    const { id, path, owner, roleId } = await firm();
    const heir = await fixture.member([], id);
    await owner.api.post(`${path}/transfer-ownership`, { user_id: heir.userId, role_id: roleId });
    const row = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("organization_id", "=", id)
      .where("action", "=", "organization.ownership_transferred")
      .executeTakeFirstOrThrow();
    expect(row.actor_id).toBe(owner.userId);
    expect(JSON.parse(row.before ?? "")).toMatchObject({ owner_id: owner.userId });
    expect(JSON.parse(row.after ?? "")).toMatchObject({
      owner_id: heir.userId,
      former_owner_role: "Alumni",
    });
  });
});
