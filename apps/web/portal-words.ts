import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codesOf } from "@countersign/contract/openapi/problems";
import { portalRoutes } from "@countersign/contract/portal/routes";

type Texts = Readonly<Record<string, string>>;

const codes: ReadonlySet<string> = new Set(portalRoutes.flatMap(codesOf));

/** The files with the portal's texts in a language. */
export function portalWordFiles(language: string): { portal: string; problems: string } {
  const folder = join(import.meta.dirname, "i18n", language);
  return { portal: join(folder, "portal.json"), problems: join(folder, "problems.json") };
}

/**
 * The portal's texts, and of the texts of refusals only those that its routes declare. What can be wrong with a field is
 * not declared by route, so those are all there.
 */
export function portalWords(language: string): Record<string, object> {
  const files = portalWordFiles(language);
  const { problems = {}, fields = {} }: Record<string, Texts> = JSON.parse(
    readFileSync(files.problems, "utf8"),
  );
  return {
    portal: JSON.parse(readFileSync(files.portal, "utf8")),
    problems: { problems: only(problems, codes), fields },
  };
}

function only(texts: Texts, wanted: ReadonlySet<string>): Texts {
  return Object.fromEntries(
    Object.entries(texts).filter(([key]) => wanted.has(key.replace(/_(one|many|other)$/, ""))),
  );
}
