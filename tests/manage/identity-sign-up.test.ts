import { expect, setDefaultTimeout, test } from "bun:test";
import { statusesAtOnce } from "../support/answers.ts";
import { auditOf, recorded } from "../support/audit-of.ts";
import { invitationTokenFor } from "../support/emails.ts";
import { goodPassword, linkIn, openSignInFixture, openSignUpFixture } from "../support/sign-in-fixture.ts";
import { expectSimilarTimes } from "../support/similar-times.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const grace = { name: "Grace Hopper", password: goodPassword };
const someone = (email = `${newId()}@example.com`) => ({ ...grace, email });

testsOn("postgres", "sign-up", openSignUpFixture, (open) => {
  const signUp = (body: object) => open.browser().auth("/sign-up/email", { ...someone(), ...body });

  test("an account cannot sign in until its email address is verified by the emailed link", async () => {
    const browser = open.browser();
    const person = someone();
    const { email } = person;
    expect((await browser.auth("/sign-up/email", person)).body).toEqual({ status: true });
    expect(browser.cookies.size).toBe(0);
    expect((await open.signIn(email)).status).toBe(403);
    const [message] = await open.emails(email);
    expect(message?.kind).toBe("email_verification");
    const link = linkIn(message);
    const verified = await browser.send("GET", link.pathname + link.search);
    expect([verified.status, verified.headers.get("location")]).toEqual([302, "/sign-in?verified=true"]);
    // The link only verifies the email address. It does not sign in.
    expect(verified.headers.getSetCookie()).toEqual([]);
    // A program gets a response instead.
    expect((await browser.auth(`/verify-email?token=${link.searchParams.get("token")}`)).status).toBe(200);
    await open.signIn(email, { browser });
    expect((await browser.auth("/get-session")).body.user.email).toBe(email);
    const me = await browser.manage("GET", "/me");
    expect(me.body).toMatchObject({ name: "Grace Hopper", email_verified: true, is_platform_admin: false });
    expect(await open.actions(me.body.id)).toEqual(["person.signed_up"]);
  });

  test("an email address that has an account gets the same response, and an email that says so", async () => {
    const { email } = await open.createUser();
    const answers = new Set<string>();
    const request = async (address: string) => {
      const answer = await signUp({ email: address, password: "another one altogether" });
      answers.add(`${answer.status} ${answer.text}`);
    };
    await expectSimilarTimes(async (round) => {
      const taken = round === 1 ? email : (await open.createUser()).email;
      return [() => request(taken), () => request(`${newId()}@example.com`)];
    });
    expect([...answers]).toHaveLength(1);
    expect(await open.emailKinds(email)).toEqual(["sign_up_again"]);
    expect((await open.signIn(email)).status).toBe(200);
  });

  test("concurrent sign-ups for one email address create one account", async () => {
    const { email } = someone();
    expect(await statusesAtOnce(3, () => signUp({ email }))).toEqual([200, 200, 200]);
    expect(await open.stored("users", { email })).toHaveLength(1);
  });

  test("a password that breaks the rules is refused with the reason, as are server-owned fields", async () => {
    for (const [password, code] of [
      ["short 1", "too_short"],
      ["Grace.Hopper1", "personal_password"],
    ]) {
      const answer = await signUp({ password });
      expect([answer.status, answer.body.errors[0]]).toMatchObject([422, { field: "password", code }]);
    }
    for (const extra of [{ emailVerified: true }, { is_platform_admin: true }, { id: "x" }, { image: "x" }])
      expect((await signUp(extra)).status).toBe(422);
  });

  test("a verification email can be requested a few times, and the response does not reveal accounts", async () => {
    const { email } = await open.createUser({ verified: false });
    const verified = await open.createUser();
    const ask = (address: string) => open.browser().auth("/send-verification-email", { email: address });
    const answers = await Promise.all([email, verified.email, `${newId()}@example.com`].map(ask));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await open.emails(email)).toHaveLength(1);
    expect(await open.emails(verified.email)).toHaveLength(0);
    await open.useUp("verification", email, 3);
    expect((await ask(email)).status).toBe(429);
  });

  test("a forged link verifies no email address", async () => {
    const answer = await open.browser().auth("/verify-email?token=eyJhbGciOiJub25lIn0.e30.");
    expect(answer.status).toBe(401);
    const foreign = encodeURIComponent("https://evil.example");
    const away = await open.browser().auth(`/verify-email?token=x&callbackURL=${foreign}`);
    expect([away.status, away.headers.get("location")]).toEqual([422, null]);
  });
});

testsOn("postgres", "sign-up by default", openSignInFixture, (fixture) => {
  test("only an invitation creates an account, for the invited email address, already verified", async () => {
    const setup = await fixture.browser().manage("GET", "/setup");
    expect(setup.body).toMatchObject({ sign_up: "closed", email: false });
    const owner = await fixture.createSignedInUser();
    const { body: organization } = await owner.browser.manage("POST", "/organizations", { name: "Acme" });
    const base = `/organizations/${organization.id}`;
    const [role] = (await owner.browser.manage("GET", `${base}/roles`)).body.data;
    const person = someone();
    const invitation = { email: person.email, role_id: role.id };
    const { id } = (await owner.browser.manage("POST", `${base}/invitations`, invitation)).body;
    const invitationToken = await invitationTokenFor(fixture.store, person.email);
    const expiresAt = (expires_at: number) => fixture.change("invitations", { id }, { expires_at });
    const join = async (body: object) => (await fixture.browser().auth("/sign-up/email", body)).status;
    expect(await join(person)).toBe(403);
    expect(await join({ ...person, invitationToken: "wrong" })).toBe(403);
    expect(await join({ ...someone(), invitationToken })).toBe(403);
    await expiresAt(Date.now() - 1_000);
    expect(await join({ ...person, invitationToken })).toBe(403);
    await expiresAt(Date.now() + 60_000);
    expect(await join({ ...person, invitationToken })).toBe(200);
    const browser = fixture.browser();
    expect((await fixture.signIn(person.email, { browser })).status).toBe(200);
    const me = (await browser.manage("GET", "/me")).body;
    expect(me.email_verified).toBe(true);
    expect((await browser.manage("POST", `/invitations/${invitationToken}/accept`)).status).toBe(200);
    expect((await browser.manage("GET", "/organizations")).body.data).toHaveLength(1);
    // The audit log names the invitation, which records whether its link was shown.
    const [entry] = (await auditOf(fixture, me.id)).map(recorded);
    expect(entry).toMatchObject({ action: "person.signed_up", after: { invitation_id: id } });
    // It is used up.
    expect(await join({ ...person, invitationToken })).toBe(403);
  });
});
