import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserTests, handBackPages, openPage, violationsOf, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { freePort } from "../support/free-port.ts";
import { goodPassword, linkIn, openSignInFixture } from "../support/sign-in-fixture.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

dashboardTests("the second factor", (dashboard) => {
  test("a second factor is turned on, required, replaced once by a recovery code, and turned off", async () => {
    const { fixture } = dashboard;
    const user = await fixture.createUser();
    const { email } = user;
    const page = await dashboard.pageFor(user);
    await visit(page, `${fixture.url}/account/security`);

    await page.getByRole("button", { name: "Set up two-factor authentication" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password").fill("not the password");
    await dialog.getByRole("button", { name: "Next" }).click();
    await dialog.getByText("Incorrect password").waitFor();
    await dialog.getByLabel("Your password").fill(goodPassword);
    await dialog.getByRole("button", { name: "Next" }).click();
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
    await page.getByRole("button", { name: "Turn off" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Turn off" }).waitFor();
    expect(await page.getByText(codes[0] ?? "").count()).toBe(0);

    await signOut(page);
    await page.goto(`${fixture.url}/account/security`);
    await signIn(page, email);
    await page.getByLabel("6-digit code").fill(totpCode(secret, 1));
    await page.getByRole("heading", { name: "Passkeys" }).waitFor();

    for (const isFirst of [true, false]) {
      await signOut(page);
      await signIn(page, email);
      await page.getByRole("button", { name: "Use a recovery code instead" }).click();
      await page.getByLabel("Recovery code").fill(codes[0] ?? "");
      await page.getByRole("button", { name: "Verify" }).click();
      if (isFirst) await page.getByRole("button", { name: "Your account" }).waitFor();
      else await page.getByText("was already used").waitFor();
    }

    await page.getByLabel("Recovery code").fill(codes[1] ?? "");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("button", { name: "Your account" }).waitFor();
    await page.goto(`${fixture.url}/account/security`);
    await page.getByRole("button", { name: "Turn off" }).click();
    await dialog.getByLabel("Your password").fill(goodPassword);
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("button", { name: "Set up two-factor authentication" }).waitFor();
    await signOut(page);
    await signIn(page, email);
    await page.getByRole("button", { name: "Your account" }).waitFor();
  });

  test("creating a token requires the password; a reset lists passkeys and tokens, and removes those not kept", async () => {
    const { fixture } = dashboard;
    const user = await fixture.createSignedInUser();
    const { email, userId } = user;
    await user.browser.manage("POST", "/me/access-tokens", {
      name: "Unknown script",
      permissions: ["licenses:view"],
      password: goodPassword,
    });
    const page = await dashboard.pageFor(user);
    await visit(page, `${fixture.url}/account/access-tokens/new`);
    await page.getByLabel("Name").fill("Deploy script");
    await page.getByRole("checkbox").first().check();
    await page.getByLabel("Your password").fill(goodPassword);
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByLabel("I've saved it somewhere safe").check();
    await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    await page.getByText("Deploy script").first().waitFor();
    await fixture.browser().auth("/request-password-reset", { email });
    const message = (await fixture.emails(email)).findLast(({ kind }) => kind === "password_reset");
    await page.goto(linkIn(message).href);
    await page.getByRole("group", { name: "Keep these ways to sign in?" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("checkbox", { name: /Deploy script/ }).check();
    await page.getByLabel("New password").fill("something quite different");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("Your password has been set").waitFor();
    const left = await fixture.store.reads
      .selectFrom("access_tokens")
      .select("name")
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .execute();
    expect(left).toEqual([{ name: "Deploy script" }]);
  });
});

browserTests("passkeys", (make) => {
  test("a passkey is added, named, and signs in without a password or a code", async () => {
    const port = String(await freePort());
    // Browsers accept passkeys only for host names, and this is the only one that needs no https.
    const url = `http://localhost:${port}`;
    const fixture = await openSignInFixture(make, {
      why: "passkeys need a host name",
      environment: { PORT: port, COUNTERSIGN_URL: url },
    });
    const { email } = await fixture.createUser();
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
    await page.goto(`${url}/account/security`);
    await signIn(page, email);

    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await dialog.getByLabel("Your password").fill("not the password");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText("Incorrect password").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel("Your password").fill(goodPassword);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Passkey added").waitFor();
    await page.getByRole("button", { name: "More actions for Chrome, Linux" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Work laptop");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Work laptop").waitFor();

    await touches(false);
    await signOut(page);
    await page.goto(`${url}/sign-in?next=${encodeURIComponent("/account/security")}`);
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    await button.waitFor();
    await touches(true);
    // The form also offers the passkey automatically, possibly before the click.
    await button.click({ timeout: 5_000 }).catch(() => undefined);
    await page.getByText("Work laptop").waitFor();

    await page.getByRole("button", { name: "More actions for Work laptop" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await dialog.getByLabel("Your password").waitFor();
    await dialog.getByRole("button", { name: "Use a passkey" }).click();
    await dialog.getByText("Your browser will ask for your passkey").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Work laptop was removed").waitFor();
    await device.detach();
    await handBackPages("file");
    await fixture.close();
  });
});

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(goodPassword);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Your account" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("Email").waitFor();
}
