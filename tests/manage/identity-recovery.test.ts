import { expect, setDefaultTimeout, test } from "bun:test";
import { problemOf, statusesAtOnce } from "../support/answers.ts";
import { auditOf, recorded } from "../support/audit-of.ts";
import type { Authenticator } from "../support/authenticator.ts";
import { manageClient } from "../support/manage-client.ts";
import { goodPassword, openSignInFixture, tokenIn } from "../support/sign-in-fixture.ts";
import { expectSimilarTimes } from "../support/similar-times.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const newPassword = "something quite different";
const proof = { password: goodPassword };

testsOn("sqlite", "password reset and email change", openSignInFixture, (fixture) => {
  const reset = (token: string | undefined, body: object = {}) =>
    fixture.browser().auth("/reset-password", { token, newPassword, ...body });
  const inspect = (token: string) => fixture.browser().auth("/reset-password/inspect", { token });

  test("the emailed link sets a password once, ends every session, and verifies the email address", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    await fixture.change("users", { id: userId }, { email_verified: 0 });
    for (const asking of [fixture.browser(), fixture.browser()])
      await asking.auth("/request-password-reset", { email });
    const [first = "", second = ""] = (await fixture.emails(email)).map(tokenIn);
    expect(JSON.stringify(await fixture.stored("verifications", {}))).not.toContain(first);
    const personal = { field: "newPassword", code: "personal_password" };
    expect((await reset(first, { newPassword: email })).body.errors).toMatchObject([personal]);
    // Concurrent uses of one link set one password.
    expect(await statusesAtOnce(3, () => reset(first))).toEqual([200, 401, 401]);
    expect((await browser.manage("GET", "/me")).status).toBe(401);
    // Neither the used link nor an older or invented one does or reveals anything.
    for (const token of [first, second, "made-up"])
      for (const answer of [await reset(token), await inspect(token)])
        expect(problemOf(answer)).toEqual([401, "invalid_link"]);
    expect((await fixture.signIn(email)).status).toBe(401);
    expect((await fixture.signIn(email, { password: newPassword })).status).toBe(200);
    expect(await fixture.emailKinds(email)).toContain("password_changed");
    expect(await fixture.actions(userId)).toContain("person.password_reset");
  });

  test("a reset of an unknown email address gets the same response in the same time", async () => {
    const answers = new Set<string>();
    const request = async (email: string) => {
      const answer = await fixture.browser().auth("/request-password-reset", { email });
      answers.add(`${answer.status} ${answer.text}`);
    };
    await expectSimilarTimes(async () => {
      const { email } = await fixture.createUser();
      return [() => request(email), () => request(`${newId()}@example.com`)];
    });
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toStartWith("200 ");
  });

  /** A user with two passkeys, two access tokens and a Discord account. */
  const withAccess = async () => {
    const owner = await fixture.createSignedInUser();
    const { browser, userId: user_id } = owner;
    const addPasskey = (name: string) => fixture.addPasskey(browser, proof, name);
    const addToken = async (name: string): Promise<{ id: string; token: string }> => {
      const token = { name, permissions: ["licenses:view"], ...proof };
      return (await browser.manage("POST", "/me/access-tokens", token)).body;
    };
    const keys = [await addPasskey("First"), await addPasskey("Second")] as const;
    const tokens = [await addToken("First"), await addToken("Second")] as const;
    const discord = { id: newId(), user_id, provider_id: "discord", account_id: newId() };
    const row = { ...discord, created_at: "", updated_at: "" };
    await fixture.store.transaction((db) => db.insertInto("accounts").values(row).execute());
    return { ...owner, keys, tokens, discordId: discord.account_id };
  };
  const passkeyStatus = async ({ device }: { device: Authenticator }) => {
    const browser = fixture.browser();
    const { body } = await browser.auth("/passkey/generate-authenticate-options");
    const response = device.authenticate(body);
    return (await browser.auth("/passkey/verify-authentication", { response })).status;
  };
  const tokenStatus = async ({ token }: { token: string }) =>
    (await manageClient(fixture.url, token).get("/organizations")).status;
  const methodsOf = async (email: string) => {
    const browser = fixture.browser();
    await fixture.signIn(email, { browser, password: newPassword });
    return (await browser.manage("GET", "/me")).body.sign_in_methods;
  };

  test("a reset shows every means of access, keeps what the owner selects, and removes the rest, of no other user", async () => {
    const owner = await withAccess();
    const { userId, email, keys, tokens, discordId } = owner;
    const other = await withAccess();
    const token = await fixture.resetToken(userId);
    const shown = await inspect(token);
    expect([shown.status, shown.body]).toMatchObject([
      200,
      {
        passkeys: [{ id: keys[0].id, name: "First" }, { name: "Second" }],
        accessTokens: [{ id: tokens[0].id, name: "First", lastUsedAt: null }, { name: "Second" }],
        discord: { discordId },
      },
    ]);
    expect(shown.text).not.toContain(tokens[0].token);
    const kept = {
      keepPasskeys: [keys[0].id, other.keys[0].id],
      keepAccessTokens: [tokens[0].id, other.tokens[0].id],
      keepDiscord: true,
    };
    expect((await reset(token, kept)).status).toBe(200);
    const everyKey = [...keys, ...other.keys];
    const everyToken = [...tokens, ...other.tokens];
    expect(await Promise.all(everyKey.map(passkeyStatus))).toEqual([200, 404, 200, 200]);
    expect(await Promise.all(everyToken.map(tokenStatus))).toEqual([200, 401, 200, 200]);
    expect((await methodsOf(email)).discord.discord_id).toBe(discordId);

    expect((await reset(await fixture.resetToken(userId))).status).toBe(200);
    expect([await passkeyStatus(keys[0]), await tokenStatus(tokens[0])]).toEqual([404, 401]);
    expect(await methodsOf(email)).toEqual({ password: true, discord: null, passkeys: [] });
    const entries = (await auditOf(fixture, userId)).map(recorded);
    const removed = { passkeys_removed: 1, access_tokens_revoked: 1 };
    expect(entries.slice(-2)).toMatchObject([
      { action: "person.password_reset", after: { ...removed, discord_unlinked: false } },
      { action: "person.password_reset", after: { ...removed, discord_unlinked: true } },
    ]);
  });

  test("a new email address applies once confirmed, and the old one is notified and can no longer reset", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    const newEmail = `new-${newId()}@example.com`;
    const confirm = (token: string, at = browser) => at.manage("POST", "/me/email/confirm", { token });
    const sentToOldAddress = await fixture.resetToken(userId);
    const change = { new_email: newEmail.toUpperCase(), ...proof };
    expect((await browser.manage("POST", "/me/email", change)).status).toBe(202);
    expect((await browser.manage("GET", "/me")).body.email).toBe(email);
    expect(await fixture.emailKinds(email)).toEqual(["email_change_requested"]);
    const token = tokenIn((await fixture.emails(newEmail))[0]);

    // The link needs its user's session. A failed attempt does not consume it.
    expect((await confirm(token, fixture.browser())).status).toBe(401);
    expect((await confirm(token, (await fixture.createSignedInUser()).browser)).status).toBe(422);
    expect((await inspect(sentToOldAddress)).status).toBe(200);
    expect((await confirm(token)).body).toMatchObject({ email: newEmail, email_verified: true });
    expect((await confirm(token)).status).toBe(422);
    expect((await reset(sentToOldAddress)).status).toBe(401);
    expect(await fixture.emailKinds(email)).toEqual(["email_change_requested", "email_changed"]);
    expect((await fixture.signIn(email)).status).toBe(401);
    expect((await fixture.signIn(newEmail)).status).toBe(200);
    expect(await fixture.actions(userId)).toEqual(["person.email_change_requested", "person.email_changed"]);
  });

  test("another account's email address cannot be taken over, and the response does not reveal the account", async () => {
    const { browser } = await fixture.createSignedInUser();
    const other = await fixture.createUser();
    const free = `free-${newId()}@example.com`;
    for (const new_email of [other.email, free])
      expect((await browser.manage("POST", "/me/email", { new_email, ...proof })).status).toBe(202);
    expect(await fixture.emails(other.email)).toEqual([]);
    const token = tokenIn((await fixture.emails(free))[0]);
    await fixture.change("users", { id: other.userId }, { email: free });
    expect((await browser.manage("POST", "/me/email/confirm", { token })).status).toBe(409);
  });
});
