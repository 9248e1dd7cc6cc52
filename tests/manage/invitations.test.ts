import { expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { Permission } from "@countersign/domain/members/permissions";
import { problemOf, statusesAtOnce } from "../support/answers.ts";
import { auditOf, recorded } from "../support/audit-of.ts";
import type { TestDatabase } from "../support/databases.ts";
import { invitationTokenFor, openedEmails } from "../support/emails.ts";
import { openManageFixture, type Person } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import type { OwnServer } from "../support/test-server.ts";
import { testsOn } from "../support/tests-on.ts";

/** An organization that invites people. Who may call its routes is tested in tests/routes. */
async function openInviting(make: () => Promise<TestDatabase>, own?: OwnServer) {
  const fixture = await openManageFixture(make, own);
  const { owner, store, change, organizationId } = fixture;
  const organization = `/organizations/${organizationId}`;
  const invitations = `${organization}/invitations`;
  const roleWith = async (permissions: readonly Permission[]): Promise<string> =>
    (await owner.api.post(`${organization}/roles`, { name: `Role ${newId()}`, permissions })).body.id;
  const roleId = await roleWith(["licenses:view"]);
  return {
    ...fixture,
    organization,
    invitations,
    roleWith,
    roleId,
    invite: async (email = `${newId()}@example.com`, role_id = roleId) => {
      const { status, body } = await owner.api.post(invitations, { email, role_id });
      expect(status).toBe(201);
      const token = body.link?.split("/").at(-1) ?? (await invitationTokenFor(store, email));
      return { id: String(body.id), path: `${invitations}/${body.id}`, token: String(token) };
    },
    accept: ({ api }: Person, token: string) => api.post(`/invitations/${token}/accept`),
    set: (id: string, columns: { expires_at?: number; mailed_at?: number }) =>
      change("invitations", { id }, columns),
    rolesOf: async ({ userId: user_id }: Person) => {
      const rows = await fixture.stored("members", { organization_id: organizationId, user_id });
      return rows.map((row) => row.role_id);
    },
  };
}

const openMailing = (make: () => Promise<TestDatabase>) =>
  openInviting(make, {
    why: "emails contain a public URL, and there is a mail server",
    environment: {
      COUNTERSIGN_URL: "https://license.example.com",
      // It is down, so that emails stay in the outbox, where the tests read them.
      COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
      COUNTERSIGN_MAIL_FROM: "license@example.com",
    },
  });

testsOn("postgres", "invitations without a mail server", openInviting, (inviting) => {
  test("users who accept at the same moment all join, each once", async () => {
    const people = await Promise.all([1, 2, 3].map(() => inviting.person()));
    const tokens: string[] = [];
    for (const { email } of people) tokens.push((await inviting.invite(email)).token);
    const statuses = await Promise.all(
      people.map((person, index) => statusesAtOnce(3, () => inviting.accept(person, tokens[index] ?? ""))),
    );
    expect(statuses).toEqual(Array(3).fill([200, 404, 404]));
    for (const person of people) expect(await inviting.rolesOf(person)).toEqual([inviting.roleId]);
  });

  test("a user invited at two email addresses joins once, with the first role accepted", async () => {
    const person = await inviting.person();
    const first = await inviting.invite(person.email);
    const email = `other-${person.email}`;
    const second = await inviting.invite(email, await inviting.roleWith([]));
    expect((await inviting.accept(person, first.token)).status).toBe(200);
    await inviting.change("users", { id: person.userId }, { email });
    expect((await inviting.accept(person, second.token)).status).toBe(409);
    expect(await inviting.rolesOf(person)).toEqual([inviting.roleId]);
  });

  test("only a user with the verified, invited email address can accept, while the organization is not suspended", async () => {
    const person = await inviting.person();
    const { token } = await inviting.invite(person.email);
    const refused = await inviting.accept(await inviting.person(), token);
    const body = { code: "invitation_for_other_email", params: { email: person.email } };
    expect(refused).toMatchObject({ status: 403, body });
    const expectRefusal = async (code: string) =>
      expect(problemOf(await inviting.accept(person, token))).toEqual([403, code]);
    await inviting.change("users", { id: person.userId }, { email_verified: 0 });
    await expectRefusal("invited_email_not_verified");
    await inviting.change("users", { id: person.userId }, { email_verified: 1 });
    const { organizationId: id } = inviting;
    await inviting.change("organizations", { id }, { suspended_at: Date.now() });
    await expectRefusal("organization_suspended");
    await inviting.change("organizations", { id }, { suspended_at: null });
    expect(await inviting.rolesOf(person)).toEqual([]);
    expect((await inviting.accept(person, token)).status).toBe(200);
  });

  test("an ended invitation says why and cannot be accepted; an unknown link is not found", async () => {
    const [person, joined] = [await inviting.person(), await inviting.person()];
    const expired = await inviting.invite(person.email);
    await inviting.set(expired.id, { expires_at: Date.now() - 1_000 });
    const revoked = await inviting.invite();
    expect((await inviting.owner.api.delete(revoked.path)).status).toBe(204);
    const accepted = await inviting.invite(joined.email);
    await inviting.accept(joined, accepted.token);
    const invalid = { status: 404, body: { code: "invalid_invitation_link", params: {} } };
    for (const [state, { token }] of Object.entries({ expired, revoked, accepted })) {
      const seen = await inviting.anonymous.get(`/invitations/${token}`);
      expect(seen.body).toMatchObject({ state, organization_name: "Acme", has_account: false });
      expect(await inviting.accept(person, token)).toMatchObject(invalid);
    }
    const unknown = "x".repeat(43);
    expect(await inviting.anonymous.get(`/invitations/${unknown}`)).toMatchObject(invalid);
    expect(await inviting.accept(person, unknown)).toMatchObject(invalid);
    expect(await inviting.rolesOf(person)).toEqual([]);
  });

  test("deleting a role while an invitation with it is accepted leaves no member without a role", async () => {
    for (let round = 0; round < 4; round++) {
      const person = await inviting.person();
      const role = await inviting.roleWith([]);
      const { path, token } = await inviting.invite(person.email, role);
      const [accepted, deleted, revoked] = await Promise.all([
        inviting.accept(person, token),
        inviting.owner.api.delete(`${inviting.organization}/roles/${role}`),
        inviting.owner.api.delete(path),
      ]);
      expect([200, 404]).toContain(accepted.status);
      expect([204, 409]).toContain(deleted.status);
      expect([204, 404, 409]).toContain(revoked.status);
      expect(await inviting.rolesOf(person)).toEqual(accepted.status === 200 ? [role] : []);
    }
  });

  test("the inviter gets the link of an invitation once, and can create a new one at any time", async () => {
    const { owner, invitations, roleId } = inviting;
    const person = await inviting.person();
    const key = { "idempotency-key": newId() };
    const invite = () => owner.api.post(invitations, { email: person.email, role_id: roleId }, key);
    const made = await invite();
    expect(made.body.link).toStartWith(`${inviting.url}/invitations/`);
    expect((await invite()).text).not.toContain(made.body.link);
    expect((await owner.api.get(invitations)).text).not.toContain("link");

    const again = await owner.api.post(`${invitations}/${made.body.id}/resend`);
    const [first = "", second = ""] = [made, again].map(({ body }) => body.link.split("/").at(-1));
    expect(first).toMatch(/^[\w-]{43}$/);
    expect((await inviting.accept(person, first)).status).toBe(404);
    expect((await inviting.accept(person, second)).status).toBe(200);
    const log = (await auditOf(inviting, made.body.id)).map(recorded);
    expect(log).toMatchObject([
      { action: "invitation.created", after: { link_shown: true } },
      { action: "invitation.resent", after: { link_shown: true } },
    ]);
    expect(JSON.stringify(log)).not.toContain(second);
  });

  test("members, the owner, invited users and what is no email address cannot be invited, even at the same time", async () => {
    const { owner, invitations, roleId: role_id } = inviting;
    const email = `${newId()}@example.com`;
    const ask = (email: string) => owner.api.post(invitations, { email, role_id });
    expect(await statusesAtOnce(3, () => ask(email))).toEqual([201, 409, 409]);
    for (const [refused, status, code] of [
      [(await inviting.member([])).email, 409, "email_is_member"],
      [owner.email, 409, "email_is_member"],
      [` ${email.toUpperCase()} `, 409, "already_invited"],
      ["ada@localhost", 422, "not_an_email"],
    ] as const)
      expect(await ask(refused)).toMatchObject({ status, body: { errors: [{ field: "email", code }] } });
  });

  test("a user whose invitation expired or was revoked can be invited again", async () => {
    const email = `${newId()}@example.com`;
    const first = await inviting.invite(email);
    await inviting.set(first.id, { expires_at: Date.now() - 60_000 });
    const second = await inviting.invite(email);
    await inviting.owner.api.delete(second.path);
    await inviting.invite(email);
    const { body } = await inviting.owner.api.get(`${inviting.invitations}?limit=3`);
    const states = ["pending", "revoked", "revoked"].map((state) => ({ email, state }));
    expect(body.data).toMatchObject(states);
  });

  test("inviting, resending and revoking an invitation need every permission of the role", async () => {
    const { invitations, roleId } = inviting;
    const { api } = await inviting.member(["members:invite", "licenses:view"]);
    const wide = await inviting.roleWith(["licenses:view", "licenses:delete"]);
    const invite = (role_id: string) => api.post(invitations, { email: `${newId()}@example.com`, role_id });
    expect((await invite(roleId)).status).toBe(201);
    const { path } = await inviting.invite(undefined, wide);
    const body = { code: "permissions_exceeded", params: { permissions: ["licenses:delete"] } };
    expect(await invite(wide)).toMatchObject({ status: 403, body });
    for (const answer of [await api.post(`${path}/resend`), await api.delete(path)])
      expect(answer.status).toBe(403);
  });
});

testsOn("postgres", "invitations by email", openMailing, (inviting) => {
  test("an invited user gets the token in an email, sees the invitation, and joins with its role", async () => {
    const { owner, store, roleId, invitations } = inviting;
    const ada = await inviting.person();
    const made = await owner.api.post(invitations, { email: ada.email.toUpperCase(), role_id: roleId });
    const pending = { email: ada.email, state: "pending", accepted_at: null, link: null };
    const people = { role: { id: roleId }, invited_by: { user_id: owner.userId } };
    expect(made.body).toMatchObject({ ...pending, ...people });
    const { id, created_at, expires_at } = made.body;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * dayMs);
    const token = await invitationTokenFor(store, ada.email);
    const [message] = await openedEmails(store, { to: ada.email });
    const subject = "Invitation to join Acme";
    expect(message).toMatchObject({ kind: "invitation", subject, sent_at: null });
    for (const text of [message?.body_text, message?.body_html])
      expect(text).toContain(`https://license.example.com/invitations/${token}`);
    const everything = JSON.stringify([
      await inviting.stored("invitations", {}),
      await inviting.stored("audit_log", {}),
      (await owner.api.get(`${invitations}?limit=200`)).body,
    ]);
    expect(everything).not.toContain(token);

    const seen = await inviting.anonymous.get(`/invitations/${token}`);
    const invitation = { state: "pending", email: ada.email, expires_at, permissions: ["licenses:view"] };
    const names = { organization_name: "Acme", role_name: expect.any(String), invited_by: "Test Person" };
    expect(seen.body).toEqual({ ...invitation, ...names, has_account: true });
    expect(inviting.server.output()).not.toContain(token);
    const accepted = await inviting.accept(ada, token);
    const joined = { id: inviting.organizationId, is_owner: false, permissions: ["licenses:view"] };
    expect(accepted.body).toMatchObject(joined);
    expect((await ada.api.get("/organizations")).body.data).toHaveLength(1);
    expect((await owner.api.get(`${invitations}?state=accepted`)).body.data).toMatchObject([{ id }]);
  });

  test("resending an invitation creates a new link for seven more days, even if it had expired", async () => {
    const person = await inviting.person();
    const { id, path, token } = await inviting.invite(person.email);
    const resend = () => inviting.owner.api.post(`${path}/resend`);
    const early = await resend();
    expect(early.status).toBe(429);
    expect(Number(early.headers.get("retry-after"))).toBeWithin(1, 61);
    await inviting.set(id, { expires_at: Date.now() - dayMs, mailed_at: Date.now() - 8 * dayMs });
    const again = await resend();
    expect(again.body).toMatchObject({ id, state: "pending" });
    expect(Date.parse(again.body.expires_at)).toBeGreaterThan(Date.now() + 6 * dayMs);
    const fresh = await invitationTokenFor(inviting.store, person.email);
    expect(fresh).not.toBe(token);
    expect((await inviting.accept(person, fresh)).status).toBe(200);
    expect((await resend()).status).toBe(409);
    expect((await inviting.owner.api.delete(path)).status).toBe(409);
    const log = [...(await auditOf(inviting, id)), ...(await auditOf(inviting, person.userId))];
    const actor_id = inviting.owner.userId;
    expect(log).toMatchObject([
      { action: "invitation.created", actor_id },
      { action: "invitation.resent", actor_id },
      { action: "member.joined", actor_id: person.userId },
    ]);
  });

  /** What is counted at the same time: packages/store/queries/mail/daily-count.test.ts. */
  test("an organization, and all of an owner together, can send at most two hundred invitations a day", async () => {
    const spammer = await inviting.person();
    const newOrganization = async () => {
      const { body: made } = await spammer.api.post("/organizations", { name: "Spam" });
      const base = `/organizations/${made.id}`;
      const [role] = (await spammer.api.get(`${base}/roles`)).body.data;
      const invite = () =>
        spammer.api.post(`${base}/invitations`, { email: `${newId()}@example.com`, role_id: role.id });
      return { id: String(made.id), invitations: `${base}/invitations`, invite };
    };
    const { id, invitations, invite } = await newOrganization();
    const counted = (sender_id: string) => inviting.stored("daily_emails", { sender_id });
    const setCount = (sender_id: string, columns: { used: number; day?: number }) =>
      inviting.change("daily_emails", { sender_id }, columns);
    const { body: first } = await invite();
    expect(await counted(id)).toMatchObject([{ recipients: "invited", used: 1 }]);
    await setCount(id, { used: 199 });
    const last = await invite();
    expect(last.status).toBe(201);
    // Revoking an invitation does not restore quota, and resending one uses it too.
    await spammer.api.delete(`${invitations}/${last.body.id}`);
    const late = await invite();
    expect(late.status).toBe(429);
    expect(late.headers.get("retry-after")).toMatch(/^\d+$/);
    await inviting.set(first.id, { mailed_at: Date.now() - hourMs });
    const resend = async () => (await spammer.api.post(`${invitations}/${first.id}/resend`)).status;
    expect(await resend()).toBe(429);
    await setCount(id, { used: 200, day: 1 });
    expect(await resend()).toBe(200);
    expect(await counted(id)).toMatchObject([{ recipients: "invited", used: 1 }]);

    const second = await newOrganization();
    await setCount(spammer.userId, { used: 199 });
    expect(await statusesAtOnce(3, (at) => (at === 1 ? second.invite() : invite()))).toEqual([201, 429, 429]);
  });
});
