import { afterAll, beforeAll, expect, test } from "bun:test";
import { browserTests, handBackPages, openPage, violationsOf } from "../support/chromium.ts";
import { type FakeDiscord, startFakeDiscord } from "../support/fake-discord.ts";
import { goodPassword, openSignInFixture, type SignInFixture, tokenIn } from "../support/sign-in-fixture.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

const ada = { id: "90000000000001", username: "ada", email: "ada@discord.example", verified: true };

browserTests("signing in with Discord or a password link", (make) => {
  let discord: FakeDiscord;
  let fixture: SignInFixture;
  beforeAll(async () => {
    discord = await startFakeDiscord();
    fixture = await openSignInFixture(make, {
      why: "people sign in with Discord, and emails wait for a mail server",
      environment: {
        ...discord.settings,
        COUNTERSIGN_SMTP_URL: "smtp://127.0.0.1:1",
        COUNTERSIGN_MAIL_FROM: "license@example.com",
      },
    });
  });
  afterAll(async () => {
    await handBackPages("file");
    await fixture.close();
    discord.close();
  });

  test("a linked Discord account signs in and continues to the requested page, also past a second factor", async () => {
    const { email, browser } = await fixture.createSignedInUser();
    const page = await openPage();
    const wanted = `${fixture.url}/account/sessions`;

    await page.goto(`${fixture.url}/account/security`);
    await page.getByLabel("Email").fill(email);
    await page.getByRole("textbox", { name: "Password" }).fill(goodPassword);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Link Discord" }).click();
    await page.getByRole("dialog").getByLabel("Your password").fill(goodPassword);
    await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    await page.getByText("You declined access on Discord").waitFor();
    discord.visitor = ada;
    await page.getByRole("button", { name: "Link Discord" }).click();
    await page.getByRole("dialog").getByLabel("Your password").fill(goodPassword);
    await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    await page.getByText(ada.id).waitFor();

    const later = await openPage();
    discord.visitor = { ...ada, id: "90000000000002", email };
    await later.goto(wanted);
    await later.getByRole("button", { name: "Sign in with Discord" }).click();
    await later.getByRole("alert").waitFor();
    // After a refusal, the target page is still remembered.
    discord.visitor = ada;
    await later.getByRole("button", { name: "Sign in with Discord" }).click();
    await later.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    expect(later.url()).toBe(wanted);

    const begun = await browser.auth("/two-factor/enable", { password: goodPassword });
    const secret = totpSecret(begun.body.totpURI);
    await browser.auth("/two-factor/verify-totp", { code: totpCode(secret) });
    const third = await openPage();
    await third.goto(wanted);
    await third.getByRole("button", { name: "Sign in with Discord" }).click();
    await third.getByLabel("6-digit code").fill(totpCode(secret, 1));
    await third.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    expect(third.url()).toBe(wanted);

    await page.getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("button", { name: "Link Discord" }).waitFor();
  });

  test("a used password link offers a new link on the same page", async () => {
    const person = await fixture.createUser();
    const ask = () => fixture.browser().auth("/request-password-reset", { email: person.email });
    await ask();
    const token = tokenIn((await fixture.emails(person.email)).at(-1));
    await fixture.browser().auth("/reset-password", { token, newPassword: "a first one, long enough" });
    const before = (await fixture.emails(person.email)).length;

    const page = await openPage();
    await page.goto(`${fixture.url}/reset-password?token=${token}`);
    await page.getByRole("heading", { name: "This link doesn't work" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Email").fill(person.email);
    await page.getByRole("button", { name: "Send reset link" }).click();
    await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
    expect((await fixture.emails(person.email)).length).toBe(before + 1);
  });
});
