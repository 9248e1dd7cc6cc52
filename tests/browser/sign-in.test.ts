import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserTests, handBackPages, openPage, violationsOf, visit } from "../support/chromium.ts";
import { type FakeDiscord, startFakeDiscord } from "../support/fake-discord.ts";
import { freePort } from "../support/free-port.ts";
import { goodPassword, linkIn, type SignInFixture, signInFixtureOf } from "../support/sign-in-fixture.ts";
import { openServer } from "../support/test-server.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

const ada = { id: "90000000000001", username: "ada", email: "ada@discord.example", verified: true };

browserTests("the ways to sign in", (make) => {
  let discord: FakeDiscord;
  let fixture: SignInFixture;
  let security: string;
  beforeAll(async () => {
    discord = await startFakeDiscord();
    const port = String(await freePort());
    // Browsers accept passkeys only for host names, and this is the only one that needs no https.
    const url = `http://localhost:${port}`;
    const server = await openServer(make, {
      why: "passkeys need a host name, people sign in with Discord, and emails wait for a mail server",
      environment: {
        ...discord.settings,
        PORT: port,
        COUNTERSIGN_URL: url,
        COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
        COUNTERSIGN_MAIL_FROM: "license@example.com",
      },
    });
    fixture = signInFixtureOf({ ...server, url });
    security = `${url}/account/security`;
  });
  afterAll(async () => {
    await handBackPages("file");
    await fixture.close();
    discord.close();
  });

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  /** Gives the password in the form of the sign-in page, as the user who is sent there. */
  const signIn = async (page: Page, email: string) => {
    await page.getByLabel("Email").fill(email);
    await page.getByRole("textbox", { name: "Password" }).fill(goodPassword);
    await button(page, "Sign in").click();
  };
  const signOut = async (page: Page) => {
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Email").waitFor();
  };
  /** A page with the ways to sign in of a user who has given the password. */
  const securityPage = async (email: string) => {
    const page = await openPage();
    await page.goto(security);
    await signIn(page, email);
    return page;
  };
  test("a sign-in page at another URL than the server's names the right one before anything is typed", async () => {
    const page = await openPage();
    const other = "http://license.example.com:3000";
    await page.route("**/api/manage/v1/setup", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), url: other } });
    });
    await page.goto(`${fixture.url}/sign-in?next=%2Faccount`);
    const link = page.getByRole("link", { name: other });
    expect(await link.getAttribute("href")).toBe(`${other}/sign-in?next=%2Faccount`);
    await page.getByText(`To use it at ${fixture.url}, set COUNTERSIGN_URL`).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.unrouteAll();
  });

  /** Gives the password in a dialog, after a wrong one. */
  const confirmIn = async (page: Page, next: string) => {
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password").fill("not the password");
    await dialog.getByRole("button", { name: next }).click();
    await dialog.getByText("Incorrect password").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel("Your password").fill(goodPassword);
    await dialog.getByRole("button", { name: next }).click();
  };

  test("a second factor is turned on, required, replaced once by a recovery code, and turned off", async () => {
    const { email } = await fixture.createUser();
    const page = await securityPage(email);
    const dialog = page.getByRole("dialog");
    await button(page, "Set up two-factor authentication").click();
    await confirmIn(page, "Next");
    await dialog.getByRole("img", { name: "QR code" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const shown = await dialog.getByText(/^(?:[A-Z2-7]{4} )+[A-Z2-7]{1,4}$/).textContent();
    const secret = totpSecret(`otpauth://totp/x?secret=${(shown ?? "").replaceAll(" ", "")}`);
    await dialog.getByLabel("6-digit code").fill(totpCode(secret));
    await dialog.getByRole("button", { name: "Turn on" }).click();

    await dialog.getByText("They are shown only once").waitFor();
    const codes = await dialog.getByRole("listitem").allInnerTexts();
    expect(codes).toHaveLength(10);
    await page.keyboard.press("Escape");
    await dialog.getByLabel("I've saved them somewhere safe").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await button(page, "Turn off").waitFor();
    await page.reload();
    await button(page, "Turn off").waitFor();
    expect(await page.getByText(codes[0] ?? "").count()).toBe(0);

    await signOut(page);
    await page.goto(security);
    await signIn(page, email);
    await page.getByLabel("6-digit code").fill(totpCode(secret, 1));
    await page.getByRole("heading", { name: "Passkeys" }).waitFor();
    const recover = async (code = "") => {
      await page.getByLabel("Recovery code").fill(code);
      await button(page, "Verify").click();
    };
    for (const isUsed of [false, true]) {
      await signOut(page);
      await signIn(page, email);
      await button(page, "Use a recovery code instead").click();
      await recover(codes[0]);
      if (isUsed) await page.getByText("was already used").waitFor();
      else await page.getByRole("button", { name: "Your account" }).waitFor();
    }
    await recover(codes[1]);
    await page.getByRole("button", { name: "Your account" }).waitFor();
    await page.goto(security);
    await button(page, "Turn off").click();
    await dialog.getByLabel("Your password").fill(goodPassword);
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await button(page, "Set up two-factor authentication").waitFor();
  });

  test("a passkey is added, named, and signs in without a password or a code", async () => {
    const page = await openPage();
    const device = await page.context().newCDPSession(page);
    await device.send("WebAuthn.enable");
    const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const touches = (enabled: boolean) =>
      device.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    await page.goto(security);
    await signIn(page, (await fixture.createUser()).email);
    await button(page, "Add a passkey").click();
    await confirmIn(page, "Continue");
    await page.getByText("Passkey added").waitFor();
    await button(page, "More actions for Chrome, Linux").click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Work laptop");
    await button(page, "Save").click();
    await page.getByText("Work laptop").waitFor();

    await touches(false);
    await signOut(page);
    await page.goto(security);
    const withPasskey = button(page, "Sign in with a passkey");
    await withPasskey.waitFor();
    await touches(true);
    // The form also offers the passkey automatically, possibly before the click.
    await withPasskey.click({ timeout: 5_000 }).catch(() => undefined);
    await page.getByText("Work laptop").waitFor();

    await button(page, "More actions for Work laptop").click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password").waitFor();
    await dialog.getByRole("button", { name: "Use a passkey" }).click();
    await dialog.getByText("Your browser will ask for your passkey").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Work laptop was removed").waitFor();
    await device.detach();
  });

  test("a linked Discord account signs in and continues to the requested page, also past a second factor", async () => {
    const { email, browser } = await fixture.createSignedInUser();
    const wanted = security.replace("security", "sessions");
    const page = await securityPage(email);
    await button(page, "Link Discord").click();
    await confirmIn(page, "Continue");
    await page.getByText("You declined access on Discord").waitFor();
    discord.visitor = ada;
    await button(page, "Link Discord").click();
    await page.getByRole("dialog").getByLabel("Your password").fill(goodPassword);
    await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    await page.getByText(ada.id).waitFor();

    const later = await openPage();
    discord.visitor = { ...ada, id: "90000000000002", email };
    await later.goto(wanted);
    await button(later, "Sign in with Discord").click();
    await later.getByText("An account with this email address already exists.").waitFor();
    // After a refusal, the target page is still remembered.
    discord.visitor = ada;
    await button(later, "Sign in with Discord").click();
    await later.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    expect(later.url()).toBe(wanted);

    const { secret } = await fixture.enableSecondFactor(browser);
    const third = await openPage();
    await third.goto(wanted);
    await button(third, "Sign in with Discord").click();
    await third.getByLabel("6-digit code").fill(totpCode(secret, 1));
    await third.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    expect(third.url()).toBe(wanted);

    await button(page, "Unlink").click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
    await button(page, "Link Discord").waitFor();
  });

  test("creating a token requires the password; a reset lists tokens, and removes those not kept, and its link works once", async () => {
    const { browser, email, userId: user_id } = await fixture.createSignedInUser();
    const script = { name: "Unknown script", permissions: ["licenses:view"], password: goodPassword };
    await browser.manage("POST", "/me/access-tokens", script);
    const page = await securityPage(email);
    await button(page, "Add a passkey").waitFor();
    await visit(page, security.replace("security", "access-tokens/new"));
    await page.getByLabel("Name").fill("Deploy script");
    await page.getByRole("checkbox").first().check();
    await page.getByLabel("Your password").fill(goodPassword);
    await button(page, "Create token").click();
    await page.getByLabel("I've saved it somewhere safe").check();
    await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    await page.getByText("Deploy script").first().waitFor();
    await fixture.browser().auth("/request-password-reset", { email });
    const { href: link } = linkIn((await fixture.emails(email)).at(-1));
    await page.goto(link);
    await page.getByRole("group", { name: "Keep these ways to sign in?" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("checkbox", { name: /Deploy script/ }).check();
    await page.getByLabel("New password").fill("something quite different");
    await button(page, "Set password").click();
    await page.getByText("Your password has been set").waitFor();
    const left = await fixture.stored("access_tokens", { user_id, revoked_at: null });
    expect(left).toMatchObject([{ name: "Deploy script" }]);

    // The used link offers a new one on the same page.
    const before = (await fixture.emails(email)).length;
    await page.goto(link);
    await page.getByRole("heading", { name: "This link doesn't work" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Email").fill(email);
    await button(page, "Send reset link").click();
    await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
    expect((await fixture.emails(email)).length).toBe(before + 1);
  });
});
