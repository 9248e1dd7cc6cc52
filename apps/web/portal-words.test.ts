import { describe, expect, test } from "bun:test";
import { codesOf } from "@countersign/contract/openapi/problems";
import { portalRoutes } from "@countersign/contract/portal/routes";
import { validateStatuses } from "@countersign/domain/validate/status";
import { languages } from "./i18n/languages.ts";
import { portalWords } from "./portal-words.ts";

interface Words {
  readonly portal: { readonly refusals: Record<"reason" | "remedy", Record<string, string>> };
  readonly problems: { readonly problems: Record<string, string> };
}

describe.each(Object.keys(languages))("the portal's texts in %s", (language) => {
  const { portal, problems } = portalWords(language) as unknown as Words;

  test("every refusal of the portal's API is explained, and no others", () => {
    const declared = new Set<string>(portalRoutes.flatMap(codesOf));
    const there = Object.keys(problems.problems).map((key) => key.replace(/_(one|many|other)$/, ""));
    expect([...new Set(there)].sort()).toEqual([...declared].sort());
  });

  test("every refusal of validate is explained, with what helps", () => {
    for (const status of validateStatuses) {
      expect([status, portal.refusals.reason[status]]).toEqual([status, expect.any(String)]);
      expect([status, portal.refusals.remedy[status]]).toEqual([status, expect.any(String)]);
    }
  });
});
