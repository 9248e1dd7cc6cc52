import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { goodPassword, linkIn, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { expectSimilarTimes } from "../support/similar-times.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const someone = (email = `${newId()}@example.com`) => ({
  name: "Grace Hopper",
  email,
  password: goodPassword,
});

describe.each(databases)("sign-up on $kind", ({ make }) => {
  let open: SignInFixture;
  beforeAll(async () => {
    open = await openSignInFixture(make, { COUNTERSIGN_SIGN_UP: "open" });
  });
  afterAll(() => open.close());

  test("an account cannot sign in until its email address is verified by the emailed link", async () => {
    const browser = open.browser();
    const person = someone();
    expect((await browser.auth("/sign-up/email", person)).body).toEqual({ status: true });
    expect(browser.cookies.size).toBe(0);
    const { email, password } = person;
    expect((await browser.auth("/sign-in/email", { email, password })).status).toBe(403);
    const [message] = await open.emails(email);
    expect(message?.kind).toBe("email_verification");
    const link = linkIn(message);
    const verified = await browser.send("GET", link.pathname + link.search);
    expect([verified.status, verified.headers.get("location")]).toEqual([302, "/sign-in?verified=true"]);
    // The link only verifies the email address. It does not sign in.
    expect(verified.headers.getSetCookie()).toEqual([]);
    expect((await browser.auth("/sign-in/email", { email, password })).status).toBe(200);
    const me = await browser.manage("GET", "/me");
    expect(me.body).toMatchObject({ name: "Grace Hopper", email_verified: true, is_platform_admin: false });
    expect(await open.actions(me.body.id)).toEqual(["person.signed_up"]);
  });

  test("an email address that has an account gets the same response, and an email that says so", async () => {
    const { email, browser } = await open.createUser();
    const answers = new Set<string>();
    const signUp = async (address: string) => {
      const answer = await open
        .browser()
        .auth("/sign-up/email", { ...someone(address), password: "another one altogether" });
      answers.add(`${answer.status} ${answer.text}`);
    };
    await expectSimilarTimes(async (round) => {
      const taken = round === 1 ? email : (await open.createUser()).email;
      return [() => signUp(taken), () => signUp(`${newId()}@example.com`)];
    });
    expect([...answers]).toHaveLength(1);
    expect((await open.emails(email)).map((message) => message.kind)).toEqual(["sign_up_again"]);
    expect((await browser.auth("/sign-in/email", { email, password: goodPassword })).status).toBe(200);
  });

  test("concurrent sign-ups for one email address create one account", async () => {
    const person = someone();
    const answers = await Promise.all([1, 2, 3].map(() => open.browser().auth("/sign-up/email", person)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    const rows = await open.store.reads
      .selectFrom("users")
      .select("id")
      .where("email", "=", person.email)
      .execute();
    expect(rows).toHaveLength(1);
  });

  test.each([
    ["short 1", "too_short"],
    ["x".repeat(129), "too_long"],
    ["password", "common_password"],
    ["P@ssw0rd!", "common_password"],
    ["Qwertyuiop", "common_password"],
    ["iloveyou2", "common_password"],
    ["19870412", "common_password"],
    ["Grace.Hopper1", "personal_password"],
  ])("the password %p is refused with the reason", async (password, why) => {
    const answer = await open.browser().auth("/sign-up/email", { ...someone(), password });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]).toMatchObject({ field: "password", code: why });
  });

  test("server-owned fields are refused", async () => {
    for (const extra of [{ emailVerified: true }, { is_platform_admin: true }, { id: "x" }, { image: "x" }]) {
      expect((await open.browser().auth("/sign-up/email", { ...someone(), ...extra })).status).toBe(422);
    }
  });

  test("a verification email can be requested a few times, and the response does not reveal accounts", async () => {
    const { email } = await open.createUser({ verified: false });
    const verified = await open.createUser();
    const answers = [];
    for (const address of [email, verified.email, "nobody@example.com"])
      answers.push((await open.browser().auth("/send-verification-email", { email: address })).text);
    expect(new Set(answers).size).toBe(1);
    expect(await open.emails(email)).toHaveLength(1);
    expect(await open.emails(verified.email)).toHaveLength(0);
    const statuses = [];
    for (let time = 0; time < 4; time++)
      statuses.push((await open.browser().auth("/send-verification-email", { email })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test("a forged link verifies nothing", async () => {
    const answer = await open.browser().auth("/verify-email?token=eyJhbGciOiJub25lIn0.e30.");
    expect(answer.status).toBe(401);
    const away = await open
      .browser()
      .auth(`/verify-email?token=x&callbackURL=${encodeURIComponent("https://evil.example")}`);
    expect([away.status, away.headers.get("location")]).toEqual([422, null]);
  });

  test("by default, only an invitation creates an account, for the invited email address, already verified", async () => {
    const fixture = await openSignInFixture(make);
    expect((await fixture.browser().manage("GET", "/setup")).body).toMatchObject({
      sign_up: "closed",
      email: false,
    });
    const owner = await fixture.createSignedInUser();
    const organization = (await owner.browser.manage("POST", "/organizations", { name: "Acme" })).body.id;
    const base = `/organizations/${organization}`;
    const roleId = (await owner.browser.manage("GET", `${base}/roles`)).body.data[0].id;
    const person = someone();
    const invite = async (email: string) => {
      const made = await owner.browser.manage("POST", `${base}/invitations`, { email, role_id: roleId });
      expect(made.status).toBe(201);
      return made.body as { id: string; link: string };
    };
    const invited = await invite(person.email);
    const token =
      linkIn((await fixture.emails(person.email))[0])
        .pathname.split("/")
        .at(-1) ?? "";

    expect((await fixture.browser().auth("/sign-up/email", person)).status).toBe(403);
    expect(
      (await fixture.browser().auth("/sign-up/email", { ...person, invitationToken: "wrong" })).status,
    ).toBe(403);
    expect(
      (await fixture.browser().auth("/sign-up/email", { ...someone(), invitationToken: token })).status,
    ).toBe(403);
    const browser = fixture.browser();
    expect((await browser.auth("/sign-up/email", { ...person, invitationToken: token })).status).toBe(200);
    const { email, password } = person;
    expect((await browser.auth("/sign-in/email", { email, password })).status).toBe(200);
    const me = (await browser.manage("GET", "/me")).body;
    expect(me.email_verified).toBe(true);
    expect((await browser.manage("POST", `/invitations/${token}/accept`)).status).toBe(200);
    expect((await browser.manage("GET", "/organizations")).body.data).toHaveLength(1);
    // The audit log names the invitation, which records whether its link was shown.
    const [entry] = await fixture.store.reads
      .selectFrom("audit_log")
      .select("after")
      .where("subject_id", "=", me.id)
      .where("action", "=", "person.signed_up")
      .execute();
    expect(JSON.parse(String(entry?.after))).toEqual({ invitation_id: invited.id });

    // A used, expired or revoked invitation creates no account.
    const again = await fixture.browser().auth("/sign-up/email", { ...person, invitationToken: token });
    expect(again.status).toBe(403);
    for (const columns of [{ expires_at: Date.now() - 1 }, { revoked_at: Date.now() }]) {
      const other = someone();
      const { id, link } = await invite(other.email);
      await fixture.store.transaction((db) =>
        db.updateTable("invitations").set(columns).where("id", "=", id).execute(),
      );
      const refused = await fixture
        .browser()
        .auth("/sign-up/email", { ...other, invitationToken: link.split("/").at(-1) });
      expect(refused.status).toBe(403);
      expect(
        await fixture.store.reads.selectFrom("users").where("email", "=", other.email).select("id").execute(),
      ).toEqual([]);
    }
    await fixture.close();
  });
});
