import { expect, test } from "bun:test";
import { setState } from "@countersign/store/queries/admin/platform-state";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import { recorded } from "../support/audit-of.ts";
import type { TestDatabase } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { refusal } from "../support/licenses.ts";
import { openManageFixture, type Person } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

/** On Free, a user can own two. */
async function openOnFree(make: () => Promise<TestDatabase>) {
  const fixture = await openManageFixture(make, { why: "changes the default plan and who can sign up" });
  await fixture.store.transaction((db) => setState(db, "default_plan", "free"));
  return fixture;
}

testsOn("postgres", "ownership", openOnFree, (fixture) => {
  const setPlatform = (name: "default_plan" | "sign_up", value: string) =>
    fixture.store.transaction((db) => setState(db, name, value));
  const create = async ({ api }: Person) => (await api.post("/organizations", { name: "Another" })).status;
  /** An organization, its owner, and a role for a former owner. */
  const firm = async () => {
    const owner = await fixture.person();
    const made = await owner.api.post("/organizations", { name: "Firm" });
    const id = String(made.body.id);
    const path = `/organizations/${id}`;
    const role = await owner.api.post(`${path}/roles`, { name: "Alumni", permissions: ["members:view"] });
    const roleId = String(role.body.id);
    const transferTo = (heir: { userId: string }, by = owner) =>
      by.api.post(`${path}/transfer-ownership`, { user_id: heir.userId, role_id: roleId });
    return { id, path, owner, roleId, transferTo };
  };
  const ownerOf = async (id: string) => (await fixture.stored("organizations", { id }))[0]?.owner_id;
  const memberIds = async (id: string) =>
    (await fixture.stored("members", { organization_id: id })).map((row) => row.user_id);
  const emailsTo = (...to: string[]) => openedEmails(fixture.store, { to });

  /** How many a user can own is tested in the domain; whose plans count, and that several at once do, in the store. */
  test("if anyone can sign up, even a platform admin can own two organizations, and otherwise any number", async () => {
    await setPlatform("default_plan", "enterprise");
    await setPlatform("sign_up", "open");
    const [person, admin] = [await fixture.person(), await fixture.person({ admin: true })];
    const together = await Promise.all([1, 2, 3, 4].map(() => create(person)));
    const byAdmin = [await create(admin), await create(admin), await create(admin)];
    await setPlatform("default_plan", "free");
    await setPlatform("sign_up", "closed");
    expect(together.sort()).toEqual([201, 201, 403, 403]);
    expect(byAdmin).toEqual([201, 201, 403]);
    expect(await create(admin)).toBe(201);
  });

  test("a new and a former owner swap roles and keep their joining dates, and both are notified by email", async () => {
    const { id, path, owner, roleId, transferTo } = await firm();
    const heir = await fixture.member([], id);
    const before = (await owner.api.get(`${path}/members`)).body.data;
    const handed = await transferTo(heir);
    const swapped = { owner_id: heir.userId, is_owner: false, permissions: ["members:view"] };
    expect(handed).toMatchObject({ status: 200, body: swapped });
    const after = (await heir.api.get(`${path}/members`)).body.data;
    expect(after).toMatchObject([
      { user_id: heir.userId, is_owner: true, role: null, joined_at: before[1].joined_at },
      { user_id: owner.userId, is_owner: false, role: { id: roleId }, joined_at: before[0].joined_at },
    ]);
    expect((await owner.api.patch(path, { name: "Mine" })).status).toBe(403);
    expect((await heir.api.patch(path, { name: "Theirs" })).status).toBe(200);
    const emails = await emailsTo(owner.email, heir.email);
    expect(emails.map(({ recipient, kind }) => [recipient, kind])).toEqual([
      [heir.email, "ownership_received"],
      [owner.email, "ownership_handed_over"],
    ]);
    expect(emails[1]?.body_text).toContain("with the role Alumni");
    const transferred = { organization_id: id, action: "organization.ownership_transferred" };
    const [entry] = await fixture.stored("audit_log", transferred);
    expect(recorded(entry as AuditLogRow)).toMatchObject({
      actorId: owner.userId,
      before: { owner_id: owner.userId },
      after: { owner_id: heir.userId, former_owner_role: "Alumni" },
    });
    expect((await transferTo(owner, heir)).body.owner_id).toBe(owner.userId);
  });

  test("ownership is transferred only to an active member below their limit, with a role of the organization", async () => {
    const { id, path, owner, roleId, transferTo } = await firm();
    const [full, suspended] = [await fixture.member([], id), await fixture.member([], id)];
    const outsider = await fixture.person();
    for (const [wrong, field] of [
      [{ user_id: outsider.userId, role_id: roleId }, "user_id"],
      [{ user_id: owner.userId, role_id: roleId }, "user_id"],
      [{ user_id: "nobody", role_id: roleId }, "user_id"],
      [{ user_id: full.userId, role_id: "no-role" }, "role_id"],
      [{ user_id: full.userId }, "role_id"],
    ] as const)
      expect(refusal(await owner.api.post(`${path}/transfer-ownership`, wrong))).toEqual([422, field]);
    for (let count = 0; count < 2; count++) await create(full);
    const reached = { code: "new_owner_organization_limit_reached", params: { count: 2 } };
    expect(await transferTo(full)).toMatchObject({ status: 403, body: reached });
    await fixture.change("users", { id: suspended.userId }, { suspended_at: 1 });
    expect((await transferTo(suspended)).status).toBe(409);
    expect(await ownerOf(id)).toBe(owner.userId);
    expect(await emailsTo(owner.email, full.email, suspended.email, outsider.email)).toEqual([]);
  });

  test("of transfers of ownership at the same time one succeeds, and no member is lost", async () => {
    for (let round = 0; round < 4; round++) {
      const { id, owner, transferTo } = await firm();
      const heirs = await Promise.all([1, 2, 3].map(() => fixture.member([], id)));
      const answers = await Promise.all(heirs.map((heir) => transferTo(heir)));
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      const everyone = [owner, ...heirs].map((person) => person.userId);
      const found = [...(await memberIds(id)), String(await ownerOf(id))];
      expect(found.sort()).toEqual(everyone.sort());
    }
  });

  test("a transfer of ownership while the new owner leaves results in an owner who is in the organization", async () => {
    for (let round = 0; round < 4; round++) {
      const { id, path, owner, transferTo } = await firm();
      const heir = await fixture.member([], id);
      const leaving = heir.api.delete(`${path}/members/${heir.userId}`);
      const [handed, left] = await Promise.all([transferTo(heir), leaving]);
      const isHanded = handed.status === 200;
      expect([handed.status, left.status]).toEqual(isHanded ? [200, 409] : [422, 204]);
      expect(await ownerOf(id)).toBe(isHanded ? heir.userId : owner.userId);
      expect(await memberIds(id)).toEqual(isHanded ? [owner.userId] : []);
    }
  });
});
