import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Authenticator } from "../support/authenticator.ts";
import type { Browser } from "../support/browser.ts";
import { databases } from "../support/databases.ts";
import { type FakeDiscord, startFakeDiscord } from "../support/fake-discord.ts";
import { manageClient } from "../support/manage-client.ts";
import {
  goodPassword,
  openSignInFixture,
  type SignInFixture,
  type TestUser,
  tokenIn,
} from "../support/sign-in-fixture.ts";

setDefaultTimeout(60_000);

const wanted = { name: "CI", permissions: ["licenses:view"] };
const newPassword = "something quite different";

describe.each(databases)("an intruder with a session on $kind", ({ make }) => {
  let discord: FakeDiscord;
  let fixture: SignInFixture;
  beforeAll(async () => {
    discord = await startFakeDiscord();
    fixture = await openSignInFixture(make, { ...discord.settings, COUNTERSIGN_SIGN_UP: "open" });
  });
  afterAll(async () => {
    await fixture.close();
    discord.close();
  });

  const addPasskey = async (browser: Browser, name: string) => {
    const device = new Authenticator(fixture.url);
    const options = await browser.auth("/passkey/generate-register-options", { password: goodPassword });
    const response = device.register(options.body);
    const added = await browser.auth("/passkey/verify-registration", { response, name });
    return { device, id: added.body.id as string };
  };
  const withPasskey = async (device: Authenticator) => {
    const browser = fixture.browser();
    const { body } = await browser.auth("/passkey/generate-authenticate-options");
    return (await browser.auth("/passkey/verify-authentication", { response: device.authenticate(body) }))
      .status;
  };
  const addToken = async (browser: Browser, name = "CI") => {
    const { body } = await browser.manage("POST", "/me/access-tokens", {
      ...wanted,
      name,
      password: goodPassword,
    });
    return body as { id: string; token: string };
  };
  const kinds = async (email: string) => (await fixture.emails(email)).map((message) => message.kind);
  const resetToken = async ({ email }: TestUser) => {
    await fixture.browser().auth("/request-password-reset", { email });
    return tokenIn((await fixture.emails(email)).findLast(({ kind }) => kind === "password_reset"));
  };
  const makeStale = (userId: string) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("sessions")
        .set({ created_at: new Date(Date.now() - 11 * 60_000).toISOString() })
        .where("user_id", "=", userId)
        .execute(),
    );

  test("cannot add a passkey, a token or a Discord account with the session alone", async () => {
    const { browser, userId, email } = await fixture.createSignedInUser();
    const organization = await browser.manage("POST", "/organizations", { name: "Acme" });
    const tries = (password: object) => [
      browser.auth("/passkey/generate-register-options", password),
      browser.auth("/link-social", { provider: "discord", ...password }),
      browser.manage("POST", "/me/access-tokens", { ...wanted, ...password }),
      browser.manage("POST", `/organizations/${organization.body.id}/access-tokens`, {
        ...wanted,
        ...password,
      }),
    ];
    for (const answer of await Promise.all(tries({})))
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, "password"]);
    for (const answer of await Promise.all(tries({ password: "not the one" })))
      expect([answer.status, answer.body.code]).toEqual([401, "wrong_password"]);
    const begun = await browser.auth("/passkey/generate-authenticate-options");
    const response = new Authenticator(fixture.url).register(begun.body);
    expect((await browser.auth("/passkey/verify-registration", { response })).status).toBe(409);
    expect((await browser.manage("GET", "/me")).body.sign_in_methods.passkeys).toEqual([]);
    expect((await browser.manage("GET", "/me/access-tokens")).body.data).toEqual([]);
    expect(await fixture.actions(userId)).toEqual([]);
    expect(await kinds(email)).toEqual([]);
  });

  test("has few password attempts, which do not count against the owner's session", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    const owner = fixture.browser();
    await owner.auth("/sign-in/email", { email, password: goodPassword });
    const statuses: number[] = [];
    for (let time = 0; time < 12; time++) {
      const body = { ...wanted, password: `guess ${time}` };
      statuses.push((await browser.manage("POST", "/me/access-tokens", body)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    for (const path of ["/two-factor/enable", "/passkey/generate-register-options"])
      expect((await browser.auth(path, { password: goodPassword })).status).toBe(429);
    expect((await addToken(owner)).token).toStartWith("cst_");
  });

  test("cannot add a passkey or token without an email to the owner", async () => {
    const owner = await fixture.createSignedInUser();
    const { browser, email, userId } = owner;
    await addPasskey(browser, "Phone");
    const first = await kinds(email);
    const { body: organization } = await browser.manage("POST", "/organizations", { name: "Acme" });
    await addToken(browser);
    const body = { ...wanted, password: goodPassword };
    const made = await browser.manage("POST", `/organizations/${organization.id}/access-tokens`, body);
    expect(made.status).toBe(201);
    expect([first, await kinds(email)]).toEqual([["account_security"], Array(3).fill("account_security")]);
    expect((await fixture.emails(email))[1]?.body_text).toContain("access token");
    expect(await fixture.actions(userId)).toEqual(["person.passkey_added"]);
  });

  test("a token with all permissions needs no password, and the owner is notified of the tokens it creates", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    const { data } = (await browser.manage("GET", "/permissions")).body;
    const all = data.map(({ code }: { code: string }) => code);
    const strong = await browser.manage("POST", "/me/access-tokens", {
      name: "All",
      permissions: all,
      password: goodPassword,
    });
    const api = manageClient(fixture.url, strong.body.token);
    expect((await api.post("/me/access-tokens", wanted)).status).toBe(201);
    expect(await kinds(email)).toEqual(["account_security", "account_security"]);
  });

  test("without a password, a sign-in within ten minutes is sufficient", async () => {
    const browser = fixture.browser();
    const begun = await browser.auth("/sign-in/social", { provider: "discord" });
    const who = { id: "82000000001", username: "grace", email: "grace@fresh.example", verified: true };
    const { search } = new URL(discord.approve(begun.body.url, who));
    await browser.auth(`/callback/discord${search}`);
    const { body: me } = await browser.manage("GET", "/me");
    const fresh = await browser.manage("POST", "/me/access-tokens", wanted);
    expect(fresh.status).toBe(201);
    expect((await browser.auth("/passkey/generate-register-options", {})).status).toBe(200);
    expect((await browser.auth("/two-factor/enable", {})).status).toBe(200);
    await makeStale(me.id);
    for (const answer of await Promise.all([
      browser.manage("POST", "/me/access-tokens", wanted),
      browser.manage("POST", "/me/email", { new_email: "other@fresh.example" }),
      browser.auth("/passkey/generate-register-options", {}),
      browser.auth("/two-factor/enable", {}),
      browser.auth("/two-factor/disable", {}),
      browser.auth("/two-factor/generate-backup-codes", {}),
    ])) {
      expect([answer.status, answer.body.code]).toEqual([403, "recent_sign_in_required"]);
    }
  });

  test("a password reset shows every means of access and removes it", async () => {
    const owner = await fixture.createSignedInUser();
    const { browser, email, userId } = owner;
    const { device, id } = await addPasskey(browser, "Intruder");
    const made = await addToken(browser, "Backdoor");
    const token = await resetToken(owner);
    const shown = await fixture.browser().auth("/reset-password/inspect", { token });
    expect(shown.status).toBe(200);
    expect(shown.body.passkeys).toMatchObject([{ id, name: "Intruder" }]);
    expect(shown.body.accessTokens).toMatchObject([{ id: made.id, name: "Backdoor", lastUsedAt: null }]);
    expect(shown.text).not.toContain(made.token);
    expect((await fixture.browser().auth("/reset-password", { token, newPassword })).status).toBe(200);
    expect(await withPasskey(device)).toBe(404);
    expect((await manageClient(fixture.url, made.token).get("/organizations")).status).toBe(401);
    expect((await browser.manage("GET", "/me")).status).toBe(401);
    const fresh = fixture.browser();
    expect((await fresh.auth("/sign-in/email", { email, password: newPassword })).status).toBe(200);
    const { sign_in_methods: methods } = (await fresh.manage("GET", "/me")).body;
    expect(methods).toEqual({ password: true, discord: null, passkeys: [] });
    const [entry] = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", userId)
      .where("action", "=", "person.password_reset")
      .execute();
    expect(JSON.parse(entry?.after ?? "{}")).toEqual({
      passkeys_removed: 1,
      access_tokens_revoked: 1,
      discord_unlinked: false,
    });
  });

  test("a password reset keeps what the owner selects, and affects no other user", async () => {
    const owner = await fixture.createSignedInUser();
    const other = await fixture.createSignedInUser();
    const keys = [await addPasskey(owner.browser, "Mine"), await addPasskey(owner.browser, "Not mine")];
    const tokens = [await addToken(owner.browser, "Mine"), await addToken(owner.browser, "Not mine")];
    const theirs = [await addPasskey(other.browser, "Theirs"), await addToken(other.browser)] as const;
    const token = await resetToken(owner);
    const reset = await fixture.browser().auth("/reset-password", {
      token,
      newPassword,
      keepPasskeys: [keys[0]?.id, theirs[0].id],
      keepAccessTokens: [tokens[0]?.id, theirs[1].id],
    });
    expect(reset.status).toBe(200);
    const works = async (one: { token: string } | undefined) =>
      (await manageClient(fixture.url, one?.token ?? "").get("/organizations")).status;
    const opened: number[] = [];
    for (const key of [...keys, theirs[0]]) opened.push(await withPasskey(key.device));
    expect(opened).toEqual([200, 404, 200]);
    expect([await works(tokens[0]), await works(tokens[1]), await works(theirs[1])]).toEqual([200, 401, 200]);
  });

  test("a password reset removes a linked Discord account unless it is kept", async () => {
    for (const [number, keepDiscord] of [false, true].entries()) {
      const owner = await fixture.createSignedInUser();
      const begun = await owner.browser.auth("/link-social", { provider: "discord", password: goodPassword });
      const who = { id: `8300000000${number}`, username: "eve", email: null, verified: false };
      const { search } = new URL(discord.approve(begun.body.url, who));
      await owner.browser.auth(`/callback/discord${search}`);
      expect((await owner.browser.manage("GET", "/me")).body.sign_in_methods.discord).not.toBeNull();
      const token = await resetToken(owner);
      const shown = await fixture.browser().auth("/reset-password/inspect", { token });
      expect(shown.body.discord).toEqual({ discordId: who.id });
      await fixture.browser().auth("/reset-password", { token, newPassword, keepDiscord });
      const fresh = fixture.browser();
      await fresh.auth("/sign-in/email", { email: owner.email, password: newPassword });
      const { discord: linked } = (await fresh.manage("GET", "/me")).body.sign_in_methods;
      expect(linked === null).toBe(!keepDiscord);
    }
  });

  test("an invalid reset link reveals nothing", async () => {
    const owner = await fixture.createUser();
    const token = await resetToken(owner);
    await fixture.browser().auth("/reset-password", { token, newPassword });
    for (const bad of [token, "made-up"]) {
      const answer = await fixture.browser().auth("/reset-password/inspect", { token: bad });
      expect([answer.status, answer.body.code]).toEqual([401, "invalid_link"]);
    }
  });
});
