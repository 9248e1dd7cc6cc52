import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const script = readFileSync(join(import.meta.dir, "in-page.js"), "utf8");

type Question = "openEveryOverlay" | "faultsOfPage" | "focusFaults";

/** Calls a function of in-page.js, and injects the file first if necessary, as an extension would. */
export async function ask<Answer>(page: Page, question: Question, input?: object): Promise<Answer> {
  const call = `"inPage" in globalThis && (async () => [await inPage.${question}(${JSON.stringify(input) ?? ""})])()`;
  let answer = await page.evaluate<[Answer] | false>(call);
  if (answer === false) {
    await page.evaluate(script);
    answer = await page.evaluate<[Answer]>(call);
  }
  return answer[0];
}
