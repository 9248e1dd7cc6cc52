import { describe, expect, test } from "bun:test";
import type { z } from "zod";
import { listed } from "../../../tests/support/listed.ts";
import { contractRoutes } from "../manage/routes.ts";
import { concealed, isSearchOfConcealed, isTreated, treatmentOf, withheldText } from "./concealed.ts";
import type { Route } from "./route.ts";
import { leaves } from "./secrets.ts";

/** What a platform admin can read of an organization they view. */
const visible = contractRoutes.filter(isVisible).map((route) => [route.id, route] as const);

/** Texts in queries that reveal nothing. A new one needs a reason. */
const harmlessParameters = [
  // They narrow a list by something that is shown, as email addresses and names of customers are.
  ...listed(
    "search tag type event_type state status cidr ip action subject_kind outcome endpoint version problem",
  ),
  // Times, and lengths of time.
  ...listed("from to interval"),
  // Orders by a time or a number, and where a list continues.
  ...listed("order sort cursor after"),
];

describe("concealed texts", () => {
  test.each(visible)("each text in the response of %s is explicitly shown or concealed", (_, route) => {
    const undecided = [...leaves(route.answer)].flatMap(({ path, type }) => {
      const names = path.filter((name) => name !== "*");
      // Below a member that is withheld, names do not matter.
      const withheldAt = names.findIndex((name) => isTreated(name) && treatmentOf(name) === "withheld");
      const relevant = withheldAt === -1 ? names : names.slice(0, withheldAt);
      const texts =
        type === "number" || type === "boolean" || type === "null" ? relevant.slice(0, -1) : relevant;
      return texts.filter((name) => !isTreated(name));
    });
    expect(undecided).toEqual([]);
  });

  test.each(visible)("no query parameter of %s can be used to guess what is concealed", (_, route) => {
    const { shape } = route.query as z.ZodObject;
    const texts = Object.entries(shape).filter(
      ([name, schema]) => acceptsText(schema) && !name.endsWith("_id"),
    );
    const names = texts.map(([name]) => name).filter((name) => !isSearchOfConcealed(name));
    expect(names.filter((name) => !harmlessParameters.includes(name))).toEqual([]);
  });

  test("keys, URLs and the seller's own texts are concealed wherever they occur", () => {
    const license = { id: "1", license_key: "7QK2-M9XD-4TRB-HW6F", notes: "secret", metadata: { pin: 1234 } };
    const shown = { id: "1", license_key: "7QK2…", notes: withheldText, metadata: {} };
    const previous = { license_key: "AAAA-BBBB-CCCC-DDDD" };
    const type = "license.updated";
    expect(
      concealed({
        data: [{ type, data: { license, changed: ["license_key"], previous } }],
        before: { url: "https://user:secret@hooks.example.com:8443/T0/B0?key=secret", role: "Support" },
        after: { something_new: "secret", nested_new: { name: "secret" }, list_new: ["secret"], count: 3 },
      }),
    ).toEqual({
      data: [
        { type, data: { license: shown, changed: ["license_key"], previous: { license_key: "AAAA…" } } },
      ],
      before: { url: "https://hooks.example.com:8443/…", role: "Support" },
      after: { something_new: withheldText, nested_new: {}, list_new: [withheldText], count: 3 },
    });
  });

  test.each([
    ["ABCDEFGHIJKL", "ABCD…"],
    ["ABCDEFGHIJK", "…"],
    // As the audit log stores it.
    ["ABCD…", "ABCD…"],
  ])("a platform admin sees the key %s as %s", (key, shown) => {
    expect(concealed({ license_key: key })).toEqual({ license_key: shown });
  });

  test.each(["javascript:secret()", "secret", "https://", "data:text/plain,secret"])(
    "a platform admin sees nothing of %s, which has no host",
    (url) => expect(concealed({ url })).toEqual({ url: withheldText }),
  );
});

function isVisible({ method, access, answerType }: Route): boolean {
  if (method !== "GET" || access.who !== "member" || answerType !== undefined) return false;
  return access.may === null || [access.may, ...access.or].some((permission) => permission.endsWith(":view"));
}

function acceptsText(schema: unknown): boolean {
  return [...leaves(schema as z.ZodType)].some(({ type }) => type === "string" || type === "enum");
}
