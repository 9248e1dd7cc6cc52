import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { on, type TestDatabase } from "../support/databases.ts";
import { invitationTokenFor, openedEmails } from "../support/emails.ts";
import { openManageFixture, type Person } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** An organization that invites people. Who may call its routes is tested in tests/routes. */
async function openInviting(make: () => Promise<TestDatabase>) {
  const fixture = await openManageFixture(make, {
    why: "emails contain a public URL, and there is a mail server",
    environment: {
      COUNTERSIGN_URL: "https://license.example.com",
      // It is down, so that emails stay in the outbox, where the tests read them.
      COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
      COUNTERSIGN_MAIL_FROM: "license@example.com",
    },
  });
  const { owner, store } = fixture;
  const organization = `/organizations/${fixture.organizationId}`;
  const invitations = `${organization}/invitations`;
  const roleWith = async (permissions: readonly Permission[]): Promise<string> => {
    const name = `Role ${crypto.randomUUID()}`;
    return (await owner.api.post(`${organization}/roles`, { name, permissions })).body.id;
  };
  const roleId = await roleWith(["licenses:view"]);
  return {
    ...fixture,
    organization,
    invitations,
    roleWith,
    roleId,
    ask: (email: string, api = owner.api) => api.post(invitations, { email, role_id: roleId }),
    invite: async (email: string, role = roleId) => {
      const made = await owner.api.post(invitations, { email, role_id: role });
      expect(made.status).toBe(201);
      const token = await invitationTokenFor(store, email);
      return { id: String(made.body.id), path: `${invitations}/${made.body.id}`, token };
    },
    accept: ({ api }: Person, token: string) => api.post(`/invitations/${token}/accept`),
    set: (id: string, columns: { expires_at?: number; mailed_at?: number }) =>
      store.transaction((db) => db.updateTable("invitations").set(columns).where("id", "=", id).execute()),
    setUser: ({ userId }: Person, columns: { email?: string; email_verified?: 0 | 1 }) =>
      store.transaction((db) => db.updateTable("users").set(columns).where("id", "=", userId).execute()),
    rolesOf: async ({ userId }: Person) => {
      const rows = await store.reads
        .selectFrom("members")
        .select("role_id")
        .where("organization_id", "=", fixture.organizationId)
        .where("user_id", "=", userId)
        .execute();
      return rows.map((row) => row.role_id);
    },
  };
}

type Inviting = Awaited<ReturnType<typeof openInviting>>;

for (const { kind, make } of on("postgres")) {
  let inviting: Inviting;
  beforeAll(async () => {
    inviting = await openInviting(make);
  });
  afterAll(() => inviting.close());

  describe(`accepting an invitation on ${kind}`, () => {
    test("an invited user gets an email with a link and joins with the role of the invitation", async () => {
      const { owner, store, roleId, invitations } = inviting;
      const ada = await inviting.person();
      const made = await inviting.ask(ada.email.toUpperCase());
      expect(made.body).toMatchObject({
        email: ada.email,
        state: "pending",
        role: { id: roleId },
        invited_by: { user_id: owner.userId },
        accepted_at: null,
        link: null,
      });
      expect(Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)).toBe(7 * dayMs);
      const token = await invitationTokenFor(store, ada.email);
      const [message] = await openedEmails(store, { to: ada.email });
      expect(message).toMatchObject({
        kind: "invitation",
        subject: "Invitation to join Acme",
        sent_at: null,
      });
      for (const text of [message?.body_text, message?.body_html])
        expect(text).toContain(`https://license.example.com/invitations/${token}`);

      const seen = await inviting.anonymous.get(`/invitations/${token}`);
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
      const accepted = await inviting.accept(ada, token);
      expect(accepted.body).toMatchObject({
        id: inviting.organizationId,
        is_owner: false,
        permissions: ["licenses:view"],
      });
      expect((await ada.api.get("/organizations")).body.data).toHaveLength(1);
      const list = await owner.api.get(`${invitations}?state=accepted`);
      expect(list.body.data).toMatchObject([{ id: made.body.id }]);
    });

    test("the token is only in the email, and only its holder learns whether an account exists", async () => {
      const made = await inviting.ask("secret@example.com");
      expect(made.text).not.toContain("account");
      const token = await invitationTokenFor(inviting.store, "secret@example.com");
      expect((await inviting.anonymous.get(`/invitations/${token}`)).body.has_account).toBe(false);
      const everything = JSON.stringify([
        await inviting.store.reads.selectFrom("invitations").selectAll().execute(),
        await inviting.store.reads.selectFrom("audit_log").selectAll().execute(),
        (await inviting.owner.api.get(`${inviting.invitations}?limit=200`)).body,
      ]);
      expect(everything).not.toContain(token);
      expect(inviting.server.output()).not.toContain(token);
    });

    test("users who accept at the same moment all join, each once", async () => {
      const people = await Promise.all([1, 2, 3].map(() => inviting.person()));
      const tokens: string[] = [];
      for (const { email } of people) tokens.push((await inviting.invite(email)).token);
      const answers = await Promise.all(
        people.flatMap((person, index) => [1, 2, 3].map(() => inviting.accept(person, tokens[index] ?? ""))),
      );
      const statuses = answers.map((answer) => answer.status).sort();
      expect(statuses).toEqual([...Array(3).fill(200), ...Array(6).fill(404)]);
      for (const person of people) expect(await inviting.rolesOf(person)).toEqual([inviting.roleId]);
    });

    test("a user invited at two email addresses joins once, with the first role accepted", async () => {
      const person = await inviting.person();
      const first = await inviting.invite(person.email);
      const other = `other-${person.userId}@example.com`;
      const second = await inviting.invite(other, await inviting.roleWith([]));
      expect((await inviting.accept(person, first.token)).status).toBe(200);
      await inviting.setUser(person, { email: other });
      expect((await inviting.accept(person, second.token)).status).toBe(409);
      expect(await inviting.rolesOf(person)).toEqual([inviting.roleId]);
    });

    test("only a user with the verified, invited email address can accept", async () => {
      const person = await inviting.person();
      const { token } = await inviting.invite(person.email);
      const refused = await inviting.accept(await inviting.person(), token);
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({
        code: "invitation_for_other_email",
        params: { email: person.email },
      });
      await inviting.setUser(person, { email_verified: 0 });
      const unverified = await inviting.accept(person, token);
      expect([unverified.status, unverified.body.code]).toEqual([403, "invited_email_not_verified"]);
      expect(await inviting.rolesOf(person)).toEqual([]);
      await inviting.setUser(person, { email_verified: 1 });
      expect((await inviting.accept(person, token)).status).toBe(200);
      expect((await inviting.anonymous.post(`/invitations/${token}/accept`)).status).toBe(401);
    });

    test("an ended invitation says why and cannot be accepted; a replaced or unknown link is not found", async () => {
      const [person, joined] = [await inviting.person(), await inviting.person()];
      const expired = await inviting.invite(person.email);
      await inviting.set(expired.id, { expires_at: Date.now() - 1 });
      const revoked = await inviting.invite("revoked@example.com");
      expect((await inviting.owner.api.delete(revoked.path)).status).toBe(204);
      const replaced = await inviting.invite("replaced@example.com");
      await inviting.set(replaced.id, { mailed_at: 0 });
      expect((await inviting.owner.api.post(`${replaced.path}/resend`)).status).toBe(200);
      const accepted = await inviting.invite(joined.email);
      await inviting.accept(joined, accepted.token);
      const ended = { expired, revoked, accepted };
      for (const [state, { token }] of Object.entries(ended)) {
        const seen = await inviting.anonymous.get(`/invitations/${token}`);
        expect(seen.body).toMatchObject({ state, organization_name: "Acme", has_account: false });
      }
      const unknown = [replaced.token, "never", "x".repeat(43)];
      for (const token of unknown)
        expect((await inviting.anonymous.get(`/invitations/${token}`)).status).toBe(404);
      for (const token of [...Object.values(ended).map((one) => one.token), ...unknown]) {
        const { status, body } = await inviting.accept(person, token);
        expect([status, body.code, body.params]).toEqual([404, "invalid_invitation_link", {}]);
      }
      expect(await inviting.rolesOf(person)).toEqual([]);
    });

    test("nobody can join a suspended organization", async () => {
      const person = await inviting.person();
      const { token } = await inviting.invite(person.email);
      const suspend = (suspendedAt: number | null) =>
        inviting.store.transaction((db) =>
          db
            .updateTable("organizations")
            .set({ suspended_at: suspendedAt })
            .where("id", "=", inviting.organizationId)
            .execute(),
        );
      await suspend(Date.now());
      expect((await inviting.accept(person, token)).status).toBe(403);
      await suspend(null);
      expect((await inviting.accept(person, token)).status).toBe(200);
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
  });

  describe(`inviting on ${kind}`, () => {
    test("resending creates a new link for seven more days, even for an expired invitation", async () => {
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
      const entries = await inviting.store.reads
        .selectFrom("audit_log")
        .select(["action", "actor_id"])
        .where("organization_id", "=", inviting.organizationId)
        .where("subject_id", "in", [id, person.userId])
        .orderBy("id")
        .execute();
      expect(entries).toEqual([
        { action: "invitation.created", actor_id: inviting.owner.userId },
        { action: "invitation.resent", actor_id: inviting.owner.userId },
        { action: "member.joined", actor_id: person.userId },
      ]);
    });

    test("a member, the owner or an invited user cannot be invited again, also by concurrent requests", async () => {
      const member = await inviting.member([]);
      await inviting.invite("twice@example.com");
      for (const [email, code] of [
        [member.email, "email_is_member"],
        [inviting.owner.email, "email_is_member"],
        ["twice@example.com", "already_invited"],
        [" TWICE@example.com ", "already_invited"],
      ] as const) {
        const again = await inviting.ask(email);
        expect(again.status).toBe(409);
        expect(again.body.errors[0]).toMatchObject({ field: "email", code });
      }
      const many = await Promise.all([1, 2, 3].map(() => inviting.ask("at-once@example.com")));
      expect(many.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
    });

    test("a user whose invitation expired or was revoked can be invited again", async () => {
      const email = "again@example.com";
      const first = await inviting.invite(email);
      await inviting.set(first.id, { expires_at: Date.now() - 60_000 });
      const second = await inviting.invite(email);
      await inviting.owner.api.delete(second.path);
      await inviting.invite(email);
      const { body } = await inviting.owner.api.get(`${inviting.invitations}?limit=3`);
      const states = ["pending", "revoked", "revoked"].map((state) => ({ email, state }));
      expect(body.data).toMatchObject(states);
    });

    test("inviting, resending and revoking need every permission of the role", async () => {
      const { invitations, roleId, owner } = inviting;
      const { api } = await inviting.member(["members:invite", "licenses:view"]);
      const wide = await inviting.roleWith(["licenses:view", "licenses:delete"]);
      const to = (role: string) => ({ email: `${crypto.randomUUID()}@example.com`, role_id: role });
      expect((await api.post(invitations, to(roleId))).status).toBe(201);
      const above = await owner.api.post(invitations, to(wide));
      await inviting.set(above.body.id, { mailed_at: 0 });
      const refused = await api.post(invitations, to(wide));
      expect(refused.body).toMatchObject({
        code: "permissions_exceeded",
        params: { permissions: ["licenses:delete"] },
      });
      const path = `${invitations}/${above.body.id}`;
      for (const answer of [refused, await api.post(`${path}/resend`), await api.delete(path)])
        expect(answer.status).toBe(403);
    });

    test("an invitation of what is no email address, or with a token, is refused with the fields", async () => {
      for (const [body, fields] of [
        [{ email: "ada@localhost" }, ["email"]],
        [{ email: "nobody", token: "mine" }, ["email", "token"]],
      ] as const) {
        const invitation = { role_id: inviting.roleId, ...body };
        const wrong = await inviting.owner.api.post(inviting.invitations, invitation);
        expect(wrong.status).toBe(422);
        const named = wrong.body.errors.map((error: { field: string }) => error.field);
        expect(named.sort()).toEqual([...fields]);
      }
    });

    test("an organization's name cannot inject lines into the email", async () => {
      const trickster = await inviting.person();
      const name = 'Acme\n\nYour account is locked: <a href="https://evil.example">';
      const { invite } = await newOrganization(trickster, name);
      await invite("victim@example.com");
      const [message] = await openedEmails(inviting.store, { to: "victim@example.com" });
      expect(message?.subject).not.toContain("\n");
      expect(message?.body_text.split("\n").some((line) => line.startsWith("Your account"))).toBe(false);
      expect(message?.body_html).not.toContain('<a href="https://evil.example">');
    });
  });

  describe(`the number of invitations a day on ${kind}`, () => {
    const set = (senderId: string, columns: { used: number; day?: number }) =>
      inviting.store.transaction((db) =>
        db.updateTable("daily_emails").set(columns).where("sender_id", "=", senderId).execute(),
      );

    test("an organization can send at most two hundred", async () => {
      const spammer = await inviting.person();
      const { id, base, invite } = await newOrganization(spammer, "Spam");
      const first = await invite("first@example.com");
      const counted = () =>
        inviting.store.reads
          .selectFrom("daily_emails")
          .select(["recipients", "used"])
          .where("sender_id", "=", id)
          .execute();
      expect(await counted()).toEqual([{ recipients: "invited", used: 1 }]);
      await set(id, { used: 198 });
      const answers = await Promise.all([1, 2, 3, 4].map((number) => invite(`more-${number}@example.com`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
      expect(answers.find(({ status }) => status === 429)?.headers.get("retry-after")).toMatch(/^\d+$/);
      // Revoking an invitation does not restore quota, and resending one uses it too.
      const taken = answers.find(({ status }) => status === 201);
      await spammer.api.delete(`${base}/invitations/${taken?.body.id}`);
      expect((await invite("one-more@example.com")).status).toBe(429);
      await inviting.set(first.body.id, { mailed_at: Date.now() - 3_600_000 });
      const resend = async () =>
        (await spammer.api.post(`${base}/invitations/${first.body.id}/resend`)).status;
      expect(await resend()).toBe(429);
      expect(await counted()).toEqual([{ recipients: "invited", used: 200 }]);
      await set(id, { used: 200, day: 1 });
      expect(await resend()).toBe(200);
      expect(await counted()).toEqual([{ recipients: "invited", used: 1 }]);
    });

    test("the organizations of one owner together can send at most two hundred", async () => {
      const spammer = await inviting.person();
      const first = await newOrganization(spammer, "Spam");
      const second = await newOrganization(spammer, "Spam");
      expect((await first.invite("a@example.com")).status).toBe(201);
      await set(spammer.userId, { used: 199 });
      const answers = await Promise.all([
        first.invite("b@example.com"),
        second.invite("c@example.com"),
        second.invite("d@example.com"),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429]);
    });
  });
}

async function newOrganization({ api }: Person, name: string) {
  const { body: made } = await api.post("/organizations", { name });
  const base = `/organizations/${made.id}`;
  const [role] = (await api.get(`${base}/roles`)).body.data;
  const invite = (email: string) => api.post(`${base}/invitations`, { email, role_id: role.id });
  return { id: String(made.id), base, invite };
}

testsOn("postgres", "invitations without a mail server", openManageFixture, (fixture) => {
  test("the inviter gets the link once, and can create a new one at any time", async () => {
    const base = `/organizations/${fixture.organizationId}`;
    const [role] = (await fixture.owner.api.get(`${base}/roles`)).body.data;
    const person = await fixture.person();
    const key = { "idempotency-key": crypto.randomUUID() };
    const invite = () =>
      fixture.owner.api.post(`${base}/invitations`, { email: person.email, role_id: role.id }, key);
    const made = await invite();
    expect(made.body.link).toStartWith(`${fixture.url}/invitations/`);
    expect((await invite()).text).not.toContain(made.body.link);
    expect((await fixture.owner.api.get(`${base}/invitations`)).text).not.toContain("link");

    const again = await fixture.owner.api.post(`${base}/invitations/${made.body.id}/resend`);
    expect(again.status).toBe(200);
    const tokenOf = ({ body }: typeof made) => String(body.link.split("/").at(-1));
    expect(tokenOf(made)).toMatch(/^[\w-]{43}$/);
    expect((await person.api.post(`/invitations/${tokenOf(made)}/accept`)).status).toBe(404);
    expect((await person.api.post(`/invitations/${tokenOf(again)}/accept`)).status).toBe(200);
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
    expect(JSON.stringify(entries)).not.toContain(tokenOf(again));
  });
});
