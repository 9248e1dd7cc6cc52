import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { invitationTokenFor, openedEmails } from "../support/emails.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** A configured mail server that is down, so that emails stay in the outbox, where the tests read them. */
const deadMailServer = {
  COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
  COUNTERSIGN_MAIL_FROM: "license@example.com",
};

describe.each(databases)("invitations on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let invitations: string;
  let roleId: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make, {
      COUNTERSIGN_URL: "https://license.example.com",
      ...deadMailServer,
    });
    invitations = `/organizations/${fixture.organizationId}/invitations`;
    roleId = await roleWith(["licenses:view"]);
  });
  afterAll(() => fixture.close());

  const roleWith = async (permissions: readonly string[]): Promise<string> => {
    const made = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/roles`, {
      name: `Role ${crypto.randomUUID()}`,
      permissions,
    });
    return made.body.id;
  };
  const invite = async (email: string, role = roleId) => {
    const made = await fixture.owner.api.post(invitations, { email, role_id: role });
    expect(made.status).toBe(201);
    return { id: made.body.id as string, token: await invitationTokenFor(fixture.store, email) };
  };
  const set = async (id: string, columns: { expires_at?: number; mailed_at?: number }) =>
    fixture.store.transaction((db) =>
      db.updateTable("invitations").set(columns).where("id", "=", id).execute(),
    );
  const setUser = async (person: Person, columns: { email?: string; email_verified?: 0 | 1 }) =>
    fixture.store.transaction((db) =>
      db.updateTable("users").set(columns).where("id", "=", person.userId).execute(),
    );
  const rolesOf = async (userId: string) =>
    fixture.store.reads
      .selectFrom("members")
      .select("role_id")
      .where("organization_id", "=", fixture.organizationId)
      .where("user_id", "=", userId)
      .execute();

  test("an invited user gets an email with a link and joins with the role of the invitation", async () => {
    const ada = await fixture.person();
    const made = await fixture.owner.api.post(invitations, {
      email: ada.email.toUpperCase(),
      role_id: roleId,
    });
    expect(made.body).toMatchObject({
      email: ada.email,
      state: "pending",
      role: { id: roleId },
      invited_by: { user_id: fixture.owner.userId },
      accepted_at: null,
      link: null,
    });
    expect(Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)).toBe(7 * dayMs);
    const token = await invitationTokenFor(fixture.store, ada.email);
    const [message] = await openedEmails(fixture.store, { to: ada.email });
    expect(message).toMatchObject({ kind: "invitation", subject: "Invitation to join Acme", sent_at: null });
    expect(message?.body_text).toContain(`https://license.example.com/invitations/${token}`);
    expect(message?.body_html).toContain(`https://license.example.com/invitations/${token}`);

    const seen = await fixture.anonymous.get(`/invitations/${token}`);
    expect(seen.body).toEqual({
      state: "pending",
      organization_name: "Acme",
      role_name: expect.any(String),
      permissions: ["licenses:view"],
      email: ada.email,
      invited_by: "Test Person",
      expires_at: made.body.expires_at,
      has_account: true,
    });
    const accepted = await ada.api.post(`/invitations/${token}/accept`);
    expect(accepted.body).toMatchObject({
      id: fixture.organizationId,
      is_owner: false,
      permissions: ["licenses:view"],
    });
    expect((await ada.api.get("/organizations")).body.data).toHaveLength(1);
    const list = await fixture.owner.api.get(`${invitations}?state=accepted`);
    expect(list.body.data.map((one: { id: string }) => one.id)).toContain(made.body.id);
  });

  test("the token appears only in the email", async () => {
    const { token } = await invite("secret@example.com");
    const dump = JSON.stringify([
      await fixture.store.reads.selectFrom("invitations").selectAll().execute(),
      await fixture.store.reads.selectFrom("audit_log").selectAll().execute(),
      (await fixture.owner.api.get(`${invitations}?limit=200`)).body,
    ]);
    expect(dump).not.toContain(token);
    expect(fixture.server.output()).not.toContain(token);
  });

  test("only the holder of the token learns whether an account exists", async () => {
    const made = await fixture.owner.api.post(invitations, { email: "new@example.com", role_id: roleId });
    expect(made.text).not.toContain("account");
    const token = await invitationTokenFor(fixture.store, "new@example.com");
    expect((await fixture.anonymous.get(`/invitations/${token}`)).body.has_account).toBe(false);
  });

  test("an invitation is accepted once, even by concurrent requests", async () => {
    const person = await fixture.person();
    const { token } = await invite(person.email);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => person.api.post(`/invitations/${token}/accept`)),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(await rolesOf(person.userId)).toEqual([{ role_id: roleId }]);
  });

  test("users who accept at the same moment all join, each once", async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => fixture.person()));
    const tokens: string[] = [];
    for (const person of people) tokens.push((await invite(person.email)).token);
    const answers = await Promise.all(
      people.flatMap((person, index) => [
        person.api.post(`/invitations/${tokens[index]}/accept`),
        person.api.post(`/invitations/${tokens[index]}/accept`),
      ]),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5);
    for (const person of people) expect(await rolesOf(person.userId)).toEqual([{ role_id: roleId }]);
  });

  test("a user invited at two email addresses joins once, with the first role accepted", async () => {
    const person = await fixture.person();
    const first = await invite(person.email);
    const other = `other-${person.userId}@example.com`;
    const second = await invite(other, await roleWith([]));
    expect((await person.api.post(`/invitations/${first.token}/accept`)).status).toBe(200);
    await setUser(person, { email: other });
    expect((await person.api.post(`/invitations/${second.token}/accept`)).status).toBe(409);
    expect(await rolesOf(person.userId)).toEqual([{ role_id: roleId }]);
  });

  test("only a user with the verified, invited email address can accept", async () => {
    const person = await fixture.person();
    const otherUser = await fixture.person();
    const { token } = await invite(person.email);
    const refused = await otherUser.api.post(`/invitations/${token}/accept`);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: "invitation_for_other_email",
      params: { email: person.email },
    });
    await setUser(person, { email_verified: 0 });
    const unverified = await person.api.post(`/invitations/${token}/accept`);
    expect(unverified.status).toBe(403);
    expect(unverified.body.code).toBe("invited_email_not_verified");
    expect(await rolesOf(person.userId)).toEqual([]);
    await setUser(person, { email_verified: 1 });
    expect((await person.api.post(`/invitations/${token}/accept`)).status).toBe(200);
    expect((await fixture.anonymous.post(`/invitations/${token}/accept`)).status).toBe(401);
  });

  test("an ended invitation says why and cannot be accepted; a replaced or unknown link is not found", async () => {
    const person = await fixture.person();
    const expired = await invite(person.email);
    await set(expired.id, { expires_at: Date.now() - 1 });
    const revoked = await invite("revoked@example.com");
    expect((await fixture.owner.api.delete(`${invitations}/${revoked.id}`)).status).toBe(204);
    const replaced = await invite("replaced@example.com");
    await set(replaced.id, { mailed_at: 0 });
    expect((await fixture.owner.api.post(`${invitations}/${replaced.id}/resend`)).status).toBe(200);
    const joined = await fixture.person();
    const used = await invite(joined.email);
    await joined.api.post(`/invitations/${used.token}/accept`);
    const over = { expired, revoked, accepted: used };
    for (const [state, { token }] of Object.entries(over)) {
      const seen = await fixture.anonymous.get(`/invitations/${token}`);
      expect(seen.body).toMatchObject({ state, organization_name: "Acme", has_account: false });
    }
    for (const token of [replaced.token, "never", "x".repeat(43)])
      expect((await fixture.anonymous.get(`/invitations/${token}`)).status).toBe(404);
    const tokens = [expired.token, revoked.token, replaced.token, used.token, "never", "x".repeat(43)];
    const answers = await Promise.all(tokens.map((token) => person.api.post(`/invitations/${token}/accept`)));
    for (const { status, body } of answers)
      expect([status, body.code, body.params]).toEqual([404, "invalid_invitation_link", {}]);
    expect(await rolesOf(person.userId)).toEqual([]);
  });

  test("resending creates a new link for seven more days, even for an expired invitation", async () => {
    const person = await fixture.person();
    const { id, token } = await invite(person.email);
    const early = await fixture.owner.api.post(`${invitations}/${id}/resend`);
    expect(early.status).toBe(429);
    expect(Number(early.headers.get("retry-after"))).toBeWithin(1, 61);
    await set(id, { expires_at: Date.now() - dayMs, mailed_at: Date.now() - 8 * dayMs });
    const again = await fixture.owner.api.post(`${invitations}/${id}/resend`);
    expect(again.body).toMatchObject({ id, state: "pending" });
    expect(Date.parse(again.body.expires_at)).toBeGreaterThan(Date.now() + 6 * dayMs);
    const fresh = await invitationTokenFor(fixture.store, person.email);
    expect(fresh).not.toBe(token);
    expect((await person.api.post(`/invitations/${fresh}/accept`)).status).toBe(200);
    expect((await fixture.owner.api.post(`${invitations}/${id}/resend`)).status).toBe(409);
    expect((await fixture.owner.api.delete(`${invitations}/${id}`)).status).toBe(409);
  });

  test("a member, the owner or an invited user cannot be invited again", async () => {
    const member = await fixture.member([]);
    await invite("twice@example.com");
    for (const email of [member.email, fixture.owner.email, "twice@example.com", " TWICE@example.com "]) {
      const again = await fixture.owner.api.post(invitations, { email, role_id: roleId });
      const isInvited = email.trim().toLowerCase() === "twice@example.com";
      expect(again.status).toBe(409);
      expect(again.body.errors[0]).toMatchObject({
        field: "email",
        code: isInvited ? "already_invited" : "email_is_member",
      });
    }
    const many = await Promise.all(
      Array.from({ length: 5 }, () =>
        fixture.owner.api.post(invitations, { email: "at-once@example.com", role_id: roleId }),
      ),
    );
    expect(many.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  test("a user whose invitation expired or was revoked can be invited again", async () => {
    const first = await invite("again@example.com");
    await set(first.id, { expires_at: Date.now() - 60_000 });
    const second = await invite("again@example.com");
    await fixture.owner.api.delete(`${invitations}/${second.id}`);
    await invite("again@example.com");
    const list = await fixture.owner.api.get(`${invitations}?limit=200`);
    const states = list.body.data
      .filter((one: { email: string }) => one.email === "again@example.com")
      .map((one: { state: string }) => one.state);
    expect(states).toEqual(["pending", "revoked", "revoked"]);
  });

  test("inviting needs members:invite and every permission of the role", async () => {
    const inviter = await fixture.member(["members:invite", "licenses:view"]);
    const viewer = await fixture.member(["members:view"]);
    const outsider = await fixture.person();
    const wide = await roleWith(["licenses:view", "licenses:delete"]);
    const to = (role: string) => ({ email: `${crypto.randomUUID()}@example.com`, role_id: role });
    expect((await inviter.api.post(invitations, to(roleId))).status).toBe(201);
    const refused = await inviter.api.post(invitations, to(wide));
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: "permissions_exceeded",
      params: { permissions: ["licenses:delete"] },
    });
    const above = await fixture.owner.api.post(invitations, to(wide));
    await set(above.body.id, { mailed_at: 0 });
    expect((await inviter.api.post(`${invitations}/${above.body.id}/resend`)).status).toBe(403);
    expect((await inviter.api.delete(`${invitations}/${above.body.id}`)).status).toBe(403);
    expect((await inviter.api.get(invitations)).status).toBe(200);
    expect((await viewer.api.get(invitations)).status).toBe(200);
    for (const [who, status] of [
      [viewer, 403],
      [outsider, 404],
    ] as const) {
      expect((await who.api.post(invitations, to(roleId))).status).toBe(status);
      expect((await who.api.post(`${invitations}/${above.body.id}/resend`)).status).toBe(status);
      expect((await who.api.delete(`${invitations}/${above.body.id}`)).status).toBe(status);
    }
    expect((await outsider.api.get(invitations)).status).toBe(404);
  });

  test("an invitation of another organization is not found", async () => {
    const otherUser = await fixture.person();
    const theirs = await otherUser.api.post("/organizations", { name: "Elsewhere" });
    const { id } = await invite("foreign@example.com");
    const path = `/organizations/${theirs.body.id}/invitations`;
    expect((await otherUser.api.delete(`${path}/${id}`)).status).toBe(404);
    expect((await otherUser.api.post(`${path}/${id}/resend`)).status).toBe(404);
    const foreign = await otherUser.api.post(path, { email: "a@example.com", role_id: roleId });
    expect(foreign.status).toBe(422);
    expect(foreign.body.errors[0].field).toBe("role_id");
  });

  test("an email address that cannot sign in cannot be invited", async () => {
    const answer = await fixture.owner.api.post(invitations, { email: "ada@localhost", role_id: roleId });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0].field).toBe("email");
  });

  test("validation errors name the fields", async () => {
    const wrong = await fixture.owner.api.post(invitations, {
      email: "nobody",
      role_id: roleId,
      token: "mine",
    });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors.map((error: { field: string }) => error.field).sort()).toEqual([
      "email",
      "token",
    ]);
  });

  test("deleting a role while an invitation with it is accepted leaves no member without a role", async () => {
    for (let round = 0; round < 4; round++) {
      const person = await fixture.person();
      const role = await roleWith([]);
      const { id, token } = await invite(person.email, role);
      const [accepted, deleted, revoked] = await Promise.all([
        person.api.post(`/invitations/${token}/accept`),
        fixture.owner.api.delete(`/organizations/${fixture.organizationId}/roles/${role}`),
        fixture.owner.api.delete(`${invitations}/${id}`),
      ]);
      expect([200, 404]).toContain(accepted.status);
      expect([204, 409]).toContain(deleted.status);
      expect([204, 404, 409]).toContain(revoked.status);
      const held = await rolesOf(person.userId);
      expect(held).toEqual(accepted.status === 200 ? [{ role_id: role }] : []);
    }
  });

  test("a repeated request with the same Idempotency-Key creates one invitation and one email", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = { email: "repeated@example.com", role_id: roleId };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => fixture.owner.api.post(invitations, body, headers)),
    );
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    const emails = await fixture.store.reads
      .selectFrom("outbox")
      .select("id")
      .where("recipient", "=", "repeated@example.com")
      .execute();
    expect(emails).toHaveLength(1);
  });

  test("an organization can send at most two hundred invitations a day", async () => {
    const spammer = await fixture.person();
    const made = await spammer.api.post("/organizations", { name: "Spam" });
    const base = `/organizations/${made.body.id}`;
    const role = await spammer.api.post(`${base}/roles`, { name: "R", permissions: [] });
    const invite = (to: string) =>
      spammer.api.post(`${base}/invitations`, { email: to, role_id: role.body.id });
    const first = await invite("first@example.com");
    const counted = () =>
      fixture.store.reads
        .selectFrom("daily_emails")
        .select(["recipients", "used"])
        .where("sender_id", "=", made.body.id)
        .execute();
    const count = (used: number, day?: number) =>
      fixture.store.transaction((db) =>
        db
          .updateTable("daily_emails")
          .set({ used, ...(day === undefined ? {} : { day }) })
          .where("sender_id", "=", made.body.id)
          .execute(),
      );
    expect(await counted()).toEqual([{ recipients: "invited", used: 1 }]);
    await count(198);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => invite(`more-${index}@example.com`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429]);
    expect(answers.find(({ status }) => status === 429)?.headers.get("retry-after")).toMatch(/^\d+$/);
    // Revoking an invitation does not restore quota, and resending one uses it too.
    const [taken] = answers.filter(({ status }) => status === 201);
    await spammer.api.delete(`${base}/invitations/${taken?.body.id}`);
    expect((await invite("one-more@example.com")).status).toBe(429);
    await fixture.store.transaction((db) =>
      db
        .updateTable("invitations")
        .set({ mailed_at: Date.now() - 3_600_000 })
        .where("organization_id", "=", made.body.id)
        .execute(),
    );
    const resend = () => spammer.api.post(`${base}/invitations/${first.body.id}/resend`);
    expect((await resend()).status).toBe(429);
    expect(await counted()).toEqual([{ recipients: "invited", used: 200 }]);
    await count(200, 1);
    expect((await resend()).status).toBe(200);
    expect(await counted()).toEqual([{ recipients: "invited", used: 1 }]);
  });

  test("the organizations of one owner together can send at most two hundred invitations a day", async () => {
    const spammer = await fixture.person();
    const organization = async () => {
      const made = await spammer.api.post("/organizations", { name: "Spam" });
      const base = `/organizations/${made.body.id}`;
      const role = await spammer.api.post(`${base}/roles`, { name: "R", permissions: [] });
      return (email: string) => spammer.api.post(`${base}/invitations`, { email, role_id: role.body.id });
    };
    const inviteToFirst = await organization();
    const inviteToSecond = await organization();
    expect((await inviteToFirst("a@example.com")).status).toBe(201);
    await fixture.store.transaction((db) =>
      db.updateTable("daily_emails").set({ used: 199 }).where("sender_id", "=", spammer.userId).execute(),
    );
    const answers = await Promise.all([
      inviteToFirst("b@example.com"),
      inviteToSecond("c@example.com"),
      inviteToSecond("d@example.com"),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429]);
  });

  test("nobody can join a suspended organization", async () => {
    const person = await fixture.person();
    const { token } = await invite(person.email);
    const suspend = (suspendedAt: number | null) =>
      fixture.store.transaction((db) =>
        db
          .updateTable("organizations")
          .set({ suspended_at: suspendedAt })
          .where("id", "=", fixture.organizationId)
          .execute(),
      );
    await suspend(Date.now());
    expect((await person.api.post(`/invitations/${token}/accept`)).status).toBe(403);
    await suspend(null);
    expect((await person.api.post(`/invitations/${token}/accept`)).status).toBe(200);
  });

  test("an organization's name cannot inject lines into the email", async () => {
    const trickster = await fixture.person();
    const organization = await trickster.api.post("/organizations", {
      name: 'Acme\n\nYour account is locked: <a href="https://evil.example">',
    });
    const base = `/organizations/${organization.body.id}`;
    const role = await trickster.api.post(`${base}/roles`, { name: "R", permissions: [] });
    await trickster.api.post(`${base}/invitations`, { email: "victim@example.com", role_id: role.body.id });
    const [message] = await openedEmails(fixture.store, { to: "victim@example.com" });
    expect(message?.subject).not.toContain("\n");
    expect(message?.body_text.split("\n").some((line) => line.startsWith("Your account"))).toBe(false);
    expect(message?.body_html).not.toContain('<a href="https://evil.example">');
  });

  test("the audit log records every step", async () => {
    const person = await fixture.person();
    const { id, token } = await invite(person.email);
    await set(id, { mailed_at: 0 });
    await fixture.owner.api.post(`${invitations}/${id}/resend`);
    expect(token).not.toBe(await invitationTokenFor(fixture.store, person.email));
    await person.api.post(`/invitations/${await invitationTokenFor(fixture.store, person.email)}/accept`);
    const actions = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "actor_id", "organization_id"])
      .where("subject_id", "in", [id, person.userId])
      .orderBy("id")
      .execute();
    const organization_id = fixture.organizationId;
    expect(actions).toEqual([
      { action: "invitation.created", actor_id: fixture.owner.userId, organization_id },
      { action: "invitation.resent", actor_id: fixture.owner.userId, organization_id },
      { action: "member.joined", actor_id: person.userId, organization_id },
    ]);
  });
});

describe.each(databases)("invitations without a mail server on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make, { COUNTERSIGN_URL: "https://license.example.com" });
  });
  afterAll(() => fixture.close());

  test("the inviter gets the link once, and can create a new one at any time", async () => {
    const base = `/organizations/${fixture.organizationId}`;
    const [role] = (await fixture.owner.api.get(`${base}/roles`)).body.data;
    const person = await fixture.person();
    const key = { "idempotency-key": crypto.randomUUID() };
    const body = { email: person.email, role_id: role.id };
    const made = await fixture.owner.api.post(`${base}/invitations`, body, key);
    expect(made.body.link).toMatch(/^https:\/\/license\.example\.com\/invitations\/[\w-]{43}$/);
    const repeated = await fixture.owner.api.post(`${base}/invitations`, body, key);
    expect(repeated.text).not.toContain(made.body.link);
    expect((await fixture.owner.api.get(`${base}/invitations`)).text).not.toContain("link");

    const again = await fixture.owner.api.post(`${base}/invitations/${made.body.id}/resend`);
    expect(again.status).toBe(200);
    const tokenOf = (link: string) => link.split("/").at(-1) ?? "";
    expect((await person.api.post(`/invitations/${tokenOf(made.body.link)}/accept`)).status).toBe(404);
    expect((await person.api.post(`/invitations/${tokenOf(again.body.link)}/accept`)).status).toBe(200);
    const entries = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "after"])
      .where("subject_id", "=", made.body.id)
      .orderBy("id")
      .execute();
    expect(entries.map((entry) => [entry.action, JSON.parse(String(entry.after)).link_shown])).toEqual([
      ["invitation.created", true],
      ["invitation.resent", true],
    ]);
    expect(JSON.stringify(entries)).not.toContain(tokenOf(again.body.link));
  });
});
