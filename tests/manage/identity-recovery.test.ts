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

testsOn("sqlite", "password reset and email change", openSignInFixture, (fixture) => {
  const reset = (token: string | undefined, body: object = {}) =>
    fixture.browser().auth("/reset-password", { token, newPassword, ...body });
  const inspect = (token: string) => fixture.browser().auth("/reset-password/inspect", { token });
  const setUser = (userId: string, columns: { email?: string; email_verified?: 0 | 1 }) =>
    fixture.change("users", { id: userId }, columns);

  test("the emailed link sets a password once, ends every session, and verifies the email address", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    await setUser(userId, { email_verified: 0 });
    for (const asking of [fixture.browser(), fixture.browser()])
      await asking.auth("/request-password-reset", { email });
    const [first = "", second = ""] = (await fixture.emails(email)).map(tokenIn);
    expect(JSON.stringify(await fixture.stored("verifications", {}))).not.toContain(first);
    for (const [newPassword, code] of [
      ["12345678", "common_password"],
      [email, "personal_password"],
    ]) {
      const { body } = await reset(first, { newPassword });
      expect(body.errors).toMatchObject([{ field: "newPassword", code }]);
    }
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

  test("a request for an unknown email address gets the same response in the same time", async () => {
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
    const { browser, userId } = owner;
    const proof = { password: goodPassword };
    const keys = [
      await fixture.addPasskey(browser, proof, "First"),
      await fixture.addPasskey(browser, proof, "Second"),
    ] as const;
    const addToken = async (name: string): Promise<{ id: string; token: string }> => {
      const body = { name, permissions: ["licenses:view"], ...proof };
      return (await browser.manage("POST", "/me/access-tokens", body)).body;
    };
    const tokens = [await addToken("First"), await addToken("Second")] as const;
    const discordId = newId();
    const account = { user_id: userId, provider_id: "discord", account_id: discordId };
    const row = { ...account, id: newId(), created_at: "", updated_at: "" };
    await fixture.store.transaction((db) => db.insertInto("accounts").values(row).execute());
    return { ...owner, keys, tokens, discordId };
  };
  const statusOfPasskey = async ({ device }: { device: Authenticator }) => {
    const browser = fixture.browser();
    const { body } = await browser.auth("/passkey/generate-authenticate-options");
    const response = device.authenticate(body);
    return (await browser.auth("/passkey/verify-authentication", { response })).status;
  };
  const statusOfToken = async ({ token }: { token: string }) =>
    (await manageClient(fixture.url, token).get("/organizations")).status;

  test("a password reset shows every means of access and removes it", async () => {
    const { browser, email, userId, keys, tokens, discordId } = await withAccess();
    const token = await fixture.resetToken(userId);
    const shown = await inspect(token);
    expect(shown.status).toBe(200);
    expect(shown.body).toMatchObject({
      passkeys: [{ id: keys[0].id, name: "First" }, { name: "Second" }],
      accessTokens: [{ id: tokens[0].id, name: "First", lastUsedAt: null }, { name: "Second" }],
      discord: { discordId },
    });
    expect(shown.text).not.toContain(tokens[0].token);
    expect((await reset(token)).status).toBe(200);
    expect([await statusOfPasskey(keys[0]), await statusOfToken(tokens[0])]).toEqual([404, 401]);
    expect((await browser.manage("GET", "/me")).status).toBe(401);
    const fresh = fixture.browser();
    await fixture.signIn(email, { browser: fresh, password: newPassword });
    const { sign_in_methods: methods } = (await fresh.manage("GET", "/me")).body;
    expect(methods).toEqual({ password: true, discord: null, passkeys: [] });
    const entries = (await auditOf(fixture, userId)).map(recorded);
    const removed = { passkeys_removed: 2, access_tokens_revoked: 2, discord_unlinked: true };
    expect(entries.at(-1)).toMatchObject({ action: "person.password_reset", after: removed });
  });

  test("a password reset keeps what the owner selects, and affects no other user", async () => {
    const owner = await withAccess();
    const other = await withAccess();
    const kept = {
      keepPasskeys: [owner.keys[0].id, other.keys[0].id],
      keepAccessTokens: [owner.tokens[0].id, other.tokens[0].id],
      keepDiscord: true,
    };
    expect((await reset(await fixture.resetToken(owner.userId), kept)).status).toBe(200);
    const keyStatuses: number[] = [];
    const tokenStatuses: number[] = [];
    for (const { keys, tokens } of [owner, other]) {
      for (const key of keys) keyStatuses.push(await statusOfPasskey(key));
      for (const token of tokens) tokenStatuses.push(await statusOfToken(token));
    }
    expect(keyStatuses).toEqual([200, 404, 200, 200]);
    expect(tokenStatuses).toEqual([200, 401, 200, 200]);
    const fresh = fixture.browser();
    await fixture.signIn(owner.email, { browser: fresh, password: newPassword });
    const { discord } = (await fresh.manage("GET", "/me")).body.sign_in_methods;
    expect(discord.discord_id).toBe(owner.discordId);
  });

  test("a new email address applies once confirmed, and the old one is notified and can no longer reset", async () => {
    const { browser, email, userId } = await fixture.createSignedInUser();
    const newEmail = `new-${newId()}@example.com`;
    const change = (body: object) =>
      browser.manage("POST", "/me/email", { new_email: newEmail.toUpperCase(), ...body });
    const confirm = (token: string, at = browser) => at.manage("POST", "/me/email/confirm", { token });
    expect((await change({ password: "not the one" })).status).toBe(401);
    expect((await change({})).body.errors[0].field).toBe("password");
    const sentToOldAddress = await fixture.resetToken(userId);
    expect((await change({ password: goodPassword })).status).toBe(202);
    expect((await browser.manage("GET", "/me")).body.email).toBe(email);
    expect(await fixture.emailKinds(email)).toEqual(["email_change_requested"]);
    const token = tokenIn((await fixture.emails(newEmail))[0]);

    // The link needs its user's session. A failed attempt does not consume it.
    expect((await confirm(token, fixture.browser())).status).toBe(401);
    const otherUser = await fixture.createSignedInUser();
    expect((await confirm(token, otherUser.browser)).status).toBe(422);
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
    const ask = (address: string) =>
      browser.manage("POST", "/me/email", { new_email: address, password: goodPassword });
    const [taken, open] = [await ask(other.email), await ask(free)];
    expect([taken.status, open.status]).toEqual([202, 202]);
    expect(await fixture.emails(other.email)).toEqual([]);
    const token = tokenIn((await fixture.emails(free))[0]);
    await setUser(other.userId, { email: free });
    expect((await browser.manage("POST", "/me/email/confirm", { token })).status).toBe(409);
  });
});
