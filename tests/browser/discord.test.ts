import { afterAll, beforeAll, expect, test } from "bun:test";
import { browserTests, closeContexts, openContext } from "../support/chromium.ts";
import { type FakeDiscord, startFakeDiscord } from "../support/fake-discord.ts";
import { goodPassword, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

const ada = { id: "90000000000001", username: "ada", email: "ada@discord.example", verified: true };

browserTests("Discord in the browser", (make) => {
  let discord: FakeDiscord;
  let fixture: SignInFixture;
  beforeAll(async () => {
    discord = await startFakeDiscord();
    fixture = await openSignInFixture(make, {
      why: "people sign in with Discord",
      environment: discord.settings,
    });
  });
  afterAll(async () => {
    await closeContexts();
    await fixture.close();
    discord.close();
  });

  test("a linked Discord account signs in and continues to the requested page, also past a second factor", async () => {
    const { email, browser } = await fixture.createSignedInUser();
    const page = await (await openContext()).newPage();
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

    const later = await (await openContext()).newPage();
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
    const third = await (await openContext()).newPage();
    await third.goto(wanted);
    await third.getByRole("button", { name: "Sign in with Discord" }).click();
    await third.getByLabel("6-digit code").fill(totpCode(secret, 1));
    await third.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    expect(third.url()).toBe(wanted);

    await page.getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("button", { name: "Link Discord" }).waitFor();
  });
});
