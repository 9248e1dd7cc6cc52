import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { desktop, phone, visit } from "../support/chromium.ts";
import { dashboardTests } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

dashboardTests("forms", (dashboard) => {
  let page: Page;
  const at = (path: string) => `${dashboard.home}${path}`;
  const question = () => page.getByRole("dialog", { name: "Discard changes?" });
  // A fading element still receives clicks.
  const answered = () => page.locator(".mantine-Modal-inner").waitFor({ state: "detached" });
  const stay = async () => {
    await question().getByRole("button", { name: "Keep editing" }).click();
    await answered();
  };
  const type = async (field: Locator, text: string) => {
    await field.click();
    await page.keyboard.type(text);
  };
  const leave = () => question().getByRole("button", { name: "Discard" }).click();

  describe.each([phone.width, desktop.width])("a width of %d px", (width) => {
    beforeEach(async () => {
      page = await dashboard.page({ width });
    });

    test("a refused license form shows its first invalid field, and the next form has no hidden values", async () => {
      await visit(page, at("/licenses/new"));
      await type(page.getByLabel("Customer email", { exact: true }), "ada@example.com");
      await type(page.getByLabel("Discord ID"), "not a number");
      const more = page.getByRole("button", { name: /^More: / });
      await more.click();
      await type(page.getByLabel("Tags").first(), "vip");
      await page.keyboard.press("Enter");
      await type(page.getByLabel("Notes"), "met at the fair");
      await more.click();
      await page.getByLabel("Tags").first().waitFor({ state: "hidden" });
      await more.getByText("2 filled in").waitFor();

      await page.getByRole("button", { name: "Create license" }).click();
      const wrong = page.getByLabel("Discord ID");
      const hasFocus = () => wrong.evaluate((field) => field === field.ownerDocument.activeElement);
      await until("the invalid field has the focus", hasFocus);
      expect(await isInSight(wrong)).toBe(true);
      await wrong.fill("");
      await page.getByRole("button", { name: "Create license" }).click();
      await page.getByRole("heading", { name: "License created" }).waitFor();

      await page.getByRole("button", { name: "Create another" }).click();
      expect(await page.getByLabel("Customer email", { exact: true }).inputValue()).toBe("");
      await page.keyboard.type("grace@example.com");
      const asked = page.waitForRequest((request) => request.method() === "POST");
      await page.getByRole("button", { name: "Create license" }).click();
      expect((await asked).postData()).toContain("grace@example.com");
      expect((await asked).postData()).not.toMatch(/vip|met at the fair/);
      await page.getByRole("heading", { name: "License created" }).waitFor();
    });

    test("unsaved input is discarded only after confirmation: Escape, a click outside, the close button, Back, a link, a reload", async () => {
      const license = await dashboard.addLicense({ customer_email: "otto@example.com" });
      await visit(page, at("/licenses"));
      await page.getByRole("link", { name: license.license_key }).click();
      const drawer = page.getByRole("dialog", { name: "Edit license" });
      const open = () => page.getByRole("button", { name: "Edit", exact: true }).first().click();

      // Nothing was typed, so there is no question.
      await open();
      await drawer.getByLabel("Notes").waitFor();
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "hidden" });

      await open();
      await type(drawer.getByLabel("Notes"), "call back on Monday");
      const notes = () => drawer.getByLabel("Notes").inputValue();
      await page.keyboard.press("Escape");
      await question().waitFor();
      // Escape closes only the question.
      await page.keyboard.press("Escape");
      await answered();
      expect(await notes()).toBe("call back on Monday");
      if (width > 600) {
        const outside = () => page.mouse.click(20, 450);
        await outside();
        // Faster than a user: the page may not have handled the first key press yet, although the question is gone.
        await question().waitFor({ timeout: 1_000 }).catch(outside);
        await stay();
      }
      await drawer.getByRole("button", { name: "Close", exact: true }).click();
      await stay();
      await drawer.getByRole("button", { name: "Cancel" }).click();
      await stay();
      await page.evaluate("history.back()");
      await stay();
      expect(page.url()).toContain(license.id);
      expect(await notes()).toBe("call back on Monday");

      expect(await questionOnReload(page)).toBe("beforeunload");
      expect(await notes()).toBe("call back on Monday");

      // Saved, so there is no question, and the notification covers no control.
      await drawer.getByRole("button", { name: "Save" }).click();
      await drawer.waitFor({ state: "hidden" });
      expect(await question().count()).toBe(0);
      const saved = await dashboard.manage("GET", `/licenses/${license.id}`);
      expect(saved.notes).toBe("call back on Monday");

      // A form on its own page.
      await visit(page, at("/products"));
      await page.getByRole("link", { name: "New product" }).click();
      await type(page.getByLabel("Name"), "Aurora");
      await page.getByRole("link", { name: "Cancel" }).click();
      await stay();
      expect(await page.getByLabel("Name").inputValue()).toBe("Aurora");
      await page.getByRole("link", { name: "Cancel" }).click();
      await leave();
      await page.getByRole("heading", { level: 1, name: "Products" }).waitFor();
    });

    test("a notification covers no control that is in use", async () => {
      await visit(page, at(`/products/${dashboard.productId}`));
      const days = page.getByRole("textbox", { name: "Expiry warning" });
      await days.click();
      await days.fill(String(width % 300));
      // At the lower edge of the viewport, where a thumb reaches it.
      await days.evaluate((field) => field.scrollIntoView({ block: "end" }));
      await page.getByRole("button", { name: "Save", exact: true }).click();
      const note = page.getByRole("alert").filter({ hasText: "Saved: " });
      await note.waitFor();
      // As under the pointer, so that it stays on a busy machine.
      await note.dispatchEvent("mouseover");
      await days.fill("11");
      const save = page.getByRole("button", { name: "Save", exact: true });
      // It moves after the next frame, and while it moves across the screen, there are two of it. On a phone, both ends
      // of the screen can have controls. Then only those in use must stay visible.
      await until("the notification covers nothing", async () => {
        const covered = await controlsUnder(note);
        if (covered === null) return false;
        const important = width < 768 ? ["Save", inUse] : covered;
        return !covered.some((name) => important.includes(name));
      });
      await save.click();
      await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "hidden" });
    });
  });

  test("Escape asks on a page whose first form is in a dialog", async () => {
    page = await dashboard.page(phone);
    const path = `/organizations/${dashboard.organizationId}/customers`;
    const customer = await dashboard.manage("POST", path, { email: "ines@example.com" });
    // The question is loaded with the first form, so after the dialog.
    await page.goto(at(`/customers/${customer.id}`));
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit customer" });
    await dialog.getByLabel("Name").fill("Ines");
    await page.keyboard.press("Escape");
    await question().waitFor();
    // Escape closes only the question, and asks again.
    await page.keyboard.press("Escape");
    await question().waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Ines");
    await page.keyboard.press("Escape");
    await leave();
    await answered();
  });

  test("a key that is shown once survives Back and a reload until the user confirms", async () => {
    page = await dashboard.page(phone);
    await visit(page, at("/products"));
    await page.getByRole("link", { name: "New product" }).click();
    await type(page.getByLabel("Name"), "Aurora");
    await page.getByRole("button", { name: "Create product" }).click();
    const secret = page.locator("pre").filter({ hasText: "csk_" });
    const key = await secret.textContent();
    await page.evaluate("history.back()");
    const asked = page.getByRole("dialog", { name: "Leave without saving it?" });
    await asked.getByRole("button", { name: "Go back" }).click();
    expect(await secret.textContent()).toBe(key);
    expect(await questionOnReload(page)).toBe("beforeunload");
    expect(await secret.textContent()).toBe(key);
    await page.getByLabel("I've saved it somewhere safe").check();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(/\/integrate$/);
  });
});

/** The browser's own question before a reload, which is dismissed. */
async function questionOnReload(page: Page): Promise<string> {
  const asked = page.waitForEvent("dialog");
  await page.evaluate("setTimeout(() => location.reload())");
  const dialog = await asked;
  await dialog.dismiss();
  return dialog.type();
}

async function isInSight(field: Locator): Promise<boolean> {
  const box = await field.boundingBox();
  const size = field.page().viewportSize();
  if (box === null || size === null) return false;
  // Below the top bar and not covered.
  return box.y >= 52 && box.y + box.height <= size.height;
}

const inUse = "the field in use";

/** Controls that could be clicked without the notification; null while there is not exactly one of it. */
function controlsUnder(note: Locator): Promise<string[] | null> {
  return note.evaluateAll(([element, ...others], name) => {
    if (element === undefined || others.length > 0) return null;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const found = new Set<string>();
    for (let x = left + 2; x < right; x += 12)
      for (let y = top + 2; y < bottom; y += 8)
        for (const under of element.ownerDocument.elementsFromPoint(x, y)) {
          const control = under.closest("button, a[href], input, select, textarea, [role=switch]");
          if (control !== null && !element.contains(control))
            found.add(
              control === element.ownerDocument.activeElement ? name : control.textContent || control.tagName,
            );
        }
    return [...found];
  }, inUse);
}
