import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { authBase } from "@countersign/contract/auth/route";
import { type AuthRouteId, authRoutes } from "@countersign/contract/auth/routes";
import { openApiDocument } from "@countersign/contract/openapi";
import { Authenticator } from "../support/authenticator.ts";
import type { Browser, BrowserAnswer } from "../support/browser.ts";
import { on } from "../support/databases.ts";
import { goodPassword, openSignUpFixture, type SignUpFixture, tokenIn } from "../support/sign-in-fixture.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

setDefaultTimeout(60_000);

describe.each(on("postgres"))("the reference of /api/auth on $kind", ({ make }) => {
  let fixture: SignUpFixture;
  const called = new Set<AuthRouteId>();
  beforeAll(async () => {
    fixture = await openSignUpFixture(make);
  });

  /** Calls the route and checks the response against its description. */
  const call = async (
    browser: Browser,
    id: AuthRouteId,
    body?: object,
    query = "",
  ): Promise<BrowserAnswer> => {
    const route = authRoutes.find((one) => one.id === id);
    if (route === undefined) throw new Error(`There is no ${id}.`);
    expect([id, body === undefined]).toEqual([id, route.body === null]);
    const answer = await browser.send(route.method, authBase + route.path + query, body);
    expect([id, answer.status]).toEqual([
      id,
      route.answer === null || query.includes("callback") ? 302 : 200,
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    if (answer.status === 200) {
      // Parsing drops members that are not described.
      expect(route.answer?.parse(answer.body)).toEqual(answer.body);
    } else {
      expect(route.redirect).toBeString();
      expect(answer.headers.get("location")).toBeTruthy();
    }
    if (answer.headers.getSetCookie().length > 0) expect([id, route.cookies]).not.toEqual([id, undefined]);
    called.add(id);
    return answer;
  };
  const signIn = async (email: string, password = goodPassword) => {
    const browser = fixture.browser();
    return { browser, answer: await call(browser, "signIn", { email, password }) };
  };

  test("describes signing up, verifying the email address, signing in and signing out", async () => {
    const email = "contract@example.com";
    const browser = fixture.browser();
    expect((await call(browser, "getSession")).body).toBeNull();
    await call(browser, "signUp", { name: "Ada", email, password: goodPassword });
    await call(browser, "sendVerificationEmail", { email });
    const token = tokenIn((await fixture.emails(email))[0]);
    await call(browser, "verifyEmail", undefined, `?token=${token}`);
    const back = await call(browser, "verifyEmail", undefined, `?token=${token}&callbackURL=%2Fsign-in`);
    expect(back.headers.get("location")).toBe("/sign-in");
    await call(browser, "signIn", { email, password: goodPassword, rememberMe: false });
    expect((await call(browser, "getSession")).body.user.email).toBe(email);
    await call(browser, "signOut", {});
    await call(browser, "signOut", {});
  });

  test("describes passwords", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    const { body: options } = await call(browser, "beginPasskey", { password: goodPassword });
    await call(browser, "addPasskey", { response: new Authenticator(fixture.url).register(options) });
    await call(browser, "changePassword", {
      currentPassword: goodPassword,
      newPassword: "another good password",
    });
    await call(fixture.browser(), "requestPasswordReset", { email });
    const message = (await fixture.emails(email)).find(({ kind }) => kind === "password_reset");
    const token = tokenIn(message);
    expect((await call(fixture.browser(), "inspectPasswordReset", { token })).body.passkeys).toHaveLength(1);
    await call(fixture.browser(), "resetPassword", { token, newPassword: goodPassword, keepDiscord: true });
    await signIn(email);
  });

  test("describes the second factor", async () => {
    const { browser, email } = await fixture.createSignedInUser();
    const { totpURI } = (await call(browser, "enableSecondFactor", { password: goodPassword })).body;
    await call(browser, "verifyTotp", { code: totpCode(totpSecret(totpURI)) });
    const first = await signIn(email);
    expect(first.answer.body.twoFactorRedirect).toBe(true);
    await call(first.browser, "verifyTotp", { code: totpCode(totpSecret(totpURI), 1) });
    const { backupCodes } = (await call(browser, "renewRecoveryCodes", { password: goodPassword })).body;
    const second = await signIn(email);
    await call(second.browser, "verifyRecoveryCode", { code: backupCodes[0] });
    await call(browser, "disableSecondFactor", { password: goodPassword });
  });

  test("describes passkeys", async () => {
    const { browser } = await fixture.createSignedInUser();
    const device = new Authenticator(fixture.url);
    const { body: options } = await call(browser, "beginPasskey", { password: goodPassword });
    await call(browser, "addPasskey", { response: device.register(options), name: "Phone" });
    const { id } = (await call(browser, "listPasskeys")).body[0];
    await call(browser, "renamePasskey", { id, name: "Old phone" });
    expect((await call(browser, "beginPasskeySignIn")).body.allowCredentials).toHaveLength(1);
    await call(browser, "beginPasskey", { password: goodPassword });
    const later = fixture.browser();
    const { body: challenge } = await call(later, "beginPasskeySignIn");
    await call(later, "signInWithPasskey", { response: device.authenticate(challenge) });
    const { body: request } = await call(browser, "beginConfirmation", {});
    expect(request.allowCredentials).toHaveLength(1);
    const { body } = await call(browser, "confirm", { response: device.authenticate(request) });
    await call(browser, "removePasskey", { id, confirmation: body.confirmation });
  });

  test("describes Discord", async () => {
    const who = { id: "81000000001", username: "grace", email: "grace@example.com", verified: true };
    const browser = fixture.browser();
    const begun = await call(browser, "signInWithDiscord", {
      provider: "discord",
      callbackURL: "/welcome",
      errorCallbackURL: "/sign-in",
      newUserCallbackURL: "/hello",
    });
    const { search } = new URL(fixture.discord.approve(begun.body.url, who));
    expect((await call(browser, "returnFromDiscord", undefined, search)).headers.get("location")).toBe(
      "/hello",
    );
    const { browser: other } = await fixture.createSignedInUser();
    const linking = await call(other, "linkDiscord", { provider: "discord", password: goodPassword });
    const address = new URL(fixture.discord.approve(linking.body.url, { ...who, id: "81000000002" }));
    await call(other, "returnFromDiscord", undefined, address.search);
    const { account_id: accountId } = (await other.manage("GET", "/me")).body.sign_in_methods.discord;
    await call(other, "unlinkAccount", { accountId });
  });

  test("this file calls every route of the contract", () => {
    expect([...called].sort()).toEqual(authRoutes.map((route) => route.id).sort());
  });
});

test.each(authRoutes.map((route) => [`${route.method} ${authBase}${route.path}`, route] as const))(
  "%s is described completely",
  (_, route) => {
    const described = openApiDocument().paths[authBase + route.path]?.[route.method.toLowerCase()];
    expect(described).toMatchObject({ operationId: route.id, tags: [route.group], summary: route.summary });
    const text = JSON.stringify(described);
    expect(text.includes('"session":[]')).toBe(route.needs === "session");
    expect(text).not.toContain('"accessToken":[]');
    expect(text.includes('"requestBody"')).toBe(route.body !== null);
    expect(text).toContain("too_many_attempts");
    if (route.answer !== null) expect(text).toContain('"200":');
    if (route.redirect !== undefined) expect(text).toContain('"302":');
    expect(route.summary).toMatch(/^[A-Z][^.]*$/);
    expect(route.description ?? "A.").toMatch(/^[A-Z`].*[.!]$/s);
  },
);
