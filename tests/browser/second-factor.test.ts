import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  chromiumPath,
  closeChromium,
  howToGetChromium,
  openContext,
  pageErrorsOf,
  saveScreenshot,
  violationsOf,
} from "../support/chromium.ts";
import { postgres, sqlite } from "../support/databases.ts";
import { freePort } from "../support/free-port.ts";
import { goodPassword, linkIn, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { totpCode, totpSecret } from "../support/totp.ts";

const withCodes = "a second factor is turned on, required, replaced once by a recovery code, and turned off";
const withPasskey = "a passkey is added, named, and signs in without a password or a code";

if (chromiumPath === null) skipWithReason(`${withCodes}; ${withPasskey}`, howToGetChromium);
else {
  let fixture: SignInFixture;
  afterEach(async () => {
    await closeChromium();
    await fixture.close();
  });

  describe.each([postgres])("the second factor, on $kind", ({ make }) => {
    test(withCodes, async () => {
      fixture = await openSignInFixture(make);
      const { email } = await fixture.createUser();
      const page = await (await openContext()).newPage();
      const troubles = pageErrorsOf(page);
      await page.goto(`${fixture.url}/account/security`);
      await signIn(page, email);

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
      const emails = (shown ?? "").replaceAll(" ", "");
      const secret = totpSecret(`otpauth://totp/x?secret=${emails}`);
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
      expect(troubles).toEqual([]);
    }, 180_000);
  });

  test(withPasskey, async () => {
    const port = String(await freePort());
    // Browsers accept passkeys only for host names, and this is the only one that needs no https.
    const url = `http://localhost:${port}`;
    fixture = await openSignInFixture(sqlite.make, { PORT: port, COUNTERSIGN_URL: url });
    const { email } = await fixture.createUser();
    const page = await (await openContext()).newPage();
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
    await pictures(page, "add-passkey");
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
    await pictures(page, "remove-passkey");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Work laptop was removed").waitFor();
  }, 180_000);

  test("creating a token requires the password; a reset lists passkeys and tokens, and removes those not kept", async () => {
    fixture = await openSignInFixture(sqlite.make);
    const { email, userId } = await fixture.createUser();
    const page = await (await openContext()).newPage();
    const troubles = pageErrorsOf(page);
    await page.goto(`${fixture.url}/account/access-tokens/new`);
    await signIn(page, email);
    for (const name of ["Deploy script", "Unknown script"]) {
      await page.getByLabel("Name").fill(name);
      await page.getByRole("checkbox").first().check();
      await page.getByLabel("Your password").fill(goodPassword);
      await page.getByRole("button", { name: "Create token" }).click();
      await page.getByLabel("I've saved it somewhere safe").check();
      await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
      await page.getByText(name).first().waitFor();
      await page.goto(`${fixture.url}/account/access-tokens/new`);
    }
    await page.getByLabel("Your password").waitFor();
    await pictures(page, "new-token");
    await fixture.browser().auth("/request-password-reset", { email });
    const message = (await fixture.emails(email)).findLast(({ kind }) => kind === "password_reset");
    await page.goto(linkIn(message).href);
    await page.getByRole("group", { name: "Keep these ways to sign in?" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await pictures(page, "reset-password");
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
    expect(troubles).toEqual([]);
  }, 180_000);

  afterAll(closeChromium);
}

/** Screenshots at desktop and phone size. */
async function pictures(page: Page, name: string): Promise<void> {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await saveScreenshot(page, `${name}-${width}`);
  }
}

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
