import type { Page } from "playwright-core";
import { ask, becomes } from "./in-page.ts";

/** Buttons that act at once or change the page. Every other button must open an overlay. */
const actsAtOnce = new RegExp(
  `^(${[
    "Copy|Show|Hide|Send|Save|Try|Check|Sign|Format|Choose|All|None|More$|Dismiss|Cancel|Menu$|Next|Continue",
    "End the session|Delete announcement|Remove block|Move “|Remove “|Remove \\d|Remove [\\d.]+$|Add header|Add link|Remove link|Use the portal|Use a recovery|Confirm email",
    "(customer|license|product|organization|request)\\.\\w+$",
  ].join("|")})`,
);

interface Exploration {
  /** What distinguishes its overlays from those of the same name, such as the width of the page. */
  readonly place: string;
  /** How often each overlay was opened, by place and name. */
  readonly opened: Map<string, number>;
}

/**
 * Opens every menu, list and dialog of the page, and those inside them. Returns what does not open, what a pointer
 * cannot reach, and what Escape does not close.
 */
export async function openEveryOverlay(page: Page, exploration: Exploration): Promise<string[]> {
  const faults: string[] = [];
  await explore(page, exploration, faults, []);
  return faults;
}

/** Opens every overlay on the page, or inside the overlay at `path`. */
async function explore(
  page: Page,
  exploration: Exploration,
  faults: string[],
  path: readonly string[],
): Promise<void> {
  const { place, opened } = exploration;
  const seen: string[] = [];
  for (;;) {
    const next = await markNext(page, seen, path.length);
    if (next === null) return;
    seen.push(next);
    const what = [place, ...path, next].join(" > ");
    const times = (opened.get(what) ?? 0) + 1;
    // The shell is the same on every page.
    if (next.startsWith("frame: ") && times > 1) continue;
    opened.set(what, times);
    if (!(await clickAndWait(page))) {
      faults.push(`${what}: opens nothing`);
      return;
    }
    for (const item of await ask<string[]>(page, "unreachable")) faults.push(`${what}: ${item}`);
    if (path.length < 2) await explore(page, exploration, faults, [...path, next]);
    await page.keyboard.press("Escape");
    if (!(await becomes(page, "hasClosed"))) {
      faults.push(`${what}: Escape does not close it`);
      return;
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
      next = await markNext(page, seen, depth);
      if (next === null) return false;
      seen.push(next);
    } while (next !== name);
    if (!(await clickAndWait(page))) return false;
  }
  return true;
}

function markNext(page: Page, seen: readonly string[], depth: number): Promise<string | null> {
  return ask<string | null>(page, "markNext", { seen, actsAtOnce: actsAtOnce.source, depth });
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
