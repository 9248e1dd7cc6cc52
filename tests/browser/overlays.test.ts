import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chromiumPath, closeChromium, howToGetChromium, openContext, visit } from "../support/chromium.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { sqlite } from "../support/databases.ts";
import { skipWithReason } from "../support/skip.ts";
import { ask, becomes } from "./in-page.ts";
import { giveLongNames } from "./long-names.ts";
import { createExamples, type Examples, pages } from "./page-list.ts";

/** Buttons that act at once or change the page. Every other button must open an overlay. */
const actsAtOnce = new RegExp(
  `^(${[
    "Copy|Show|Hide|Send|Save|Try|Check|Sign|Format|Choose|All|None|More$|Dismiss|Cancel|Menu$|Next|Continue",
    "End the session|Delete announcement|Remove block|Move “|Remove “|Remove \\d|Remove [\\d.]+$|Add header|Add link|Remove link|Use the portal|Use a recovery|Confirm email",
    "(customer|license|product|organization|request)\\.\\w+$",
  ].join("|")})`,
);

/** Of a desktop and a phone. Between them only the page changes, and its layout is checked at more widths. */
const widths = [1440, 390];

if (chromiumPath === null) skipWithReason("menus and dialogs", howToGetChromium);
else
  describe("menus, lists and dialogs", () => {
    let dashboard: Dashboard;
    let examples: Examples;
    let inside: Page;
    let outside: Page;
    const opened = new Map<string, number>();
    beforeAll(async () => {
      dashboard = await openDashboard(sqlite.make);
      examples = await giveLongNames(dashboard, await createExamples(dashboard));
      inside = await dashboard.pageFor(dashboard.owner);
      outside = await (await openContext()).newPage();
    }, 180_000);
    afterAll(async () => {
      await closeChromium();
      await dashboard.close();
    });

    test.each(Object.keys(pages))(
      "%s: every overlay opens and is clickable where it is visible, and long names do not overflow",
      async (name) => {
        const { where, isOutside = false } = pages[name] ?? {};
        const page = isOutside ? outside : inside;
        const url = dashboard.fixture.url + (where?.(examples) ?? "");
        const settle = async () => {
          await page.getByRole("heading", { level: 1 }).first().waitFor();
          await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
        };
        await visit(page, url);
        await settle();
        const faults: string[] = [];
        await page.mouse.move(0, 0);
        // This order changes the window size least often, because the previous page ended at 390.
        for (const width of [390, 320, 1024, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          for (const fault of await ask<string[]>(page, "layoutFaults")) faults.push(`${width} ${fault}`);
        }
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          const reload = async () => {
            await page.goto(url);
            await settle();
          };
          await explore({ page, width, reload, faults, opened }, []);
        }
        expect(faults).toEqual([]);
      },
      180_000,
    );

    test("every width has many overlays", () => {
      for (const width of widths)
        expect([...opened.keys()].filter((name) => name.startsWith(`${width} `)).length).toBeGreaterThan(30);
    });
  });

interface Exploration {
  readonly page: Page;
  readonly width: number;
  readonly reload: () => Promise<void>;
  readonly faults: string[];
  /** How often each overlay was opened, by width and name. */
  readonly opened: Map<string, number>;
}

/** Opens every overlay on the page, or inside the overlay at `path`, and checks each. */
async function explore(walk: Exploration, path: readonly string[]): Promise<void> {
  const { page, width, opened, faults } = walk;
  const seen: string[] = [];
  for (;;) {
    const next = await ask<string | null>(page, "markNext", {
      seen,
      actsAtOnce: actsAtOnce.source,
      depth: path.length,
    });
    if (next === null) return;
    seen.push(next);
    const what = `${width} ${[...path, next].join(" > ")}`;
    const times = (opened.get(what) ?? 0) + 1;
    // The shell is the same on every page.
    if (next.startsWith("frame: ") && times > 1) continue;
    opened.set(what, times);
    if (!(await clickAndWait(page))) {
      faults.push(`${what}: opens nothing`);
      await walk.reload();
      if (path.length > 0) return;
      continue;
    }
    for (const item of await ask<string[]>(page, "unreachable")) faults.push(`${what}: ${item}`);
    if (path.length < 2) await explore(walk, [...path, next]);
    await page.keyboard.press("Escape");
    if (!(await becomes(page, "hasClosed"))) {
      faults.push(`${what}: Escape does not close it`);
      await walk.reload();
      if (path.length > 0) return;
    }
    // Choosing a menu item closes the menu.
    if ((await ask<number>(page, "depth")) < path.length && !(await reopen(page, path))) return;
  }
}

async function reopen(page: Page, path: readonly string[]): Promise<boolean> {
  for (const [depth, name] of path.entries()) {
    const seen: string[] = [];
    let next: string | null;
    do {
      next = await ask<string | null>(page, "markNext", { seen, actsAtOnce: actsAtOnce.source, depth });
      if (next === null) return false;
      seen.push(next);
    } while (next !== name);
    if (!(await clickAndWait(page))) return false;
  }
  return true;
}

/** Clicks the marked element with the mouse. */
async function clickAndWait(page: Page): Promise<boolean> {
  try {
    await page.locator("[data-next-opener]").click();
  } catch {
    return false;
  }
  if (!(await becomes(page, "hasOpened"))) return false;
  // Until it has the focus, Escape goes to the page. Some leave the focus where it was.
  await becomes(page, "hasTakenFocus", 1_000);
  return true;
}
