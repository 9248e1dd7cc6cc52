import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { listed } from "../../../tests/support/listed.ts";
import { authRoutes } from "../auth/routes.ts";
import { contractRoutes } from "../manage/routes.ts";
import { leaves, mark, secret, secretFieldsOf, withoutSecrets } from "./secrets.ts";

/** Names of members that are probably secrets. */
const looksSecret =
  /secret|token|passw|passphrase|api_?key|private|credential|recovery|backup_?code|totp|otp|signature|_link$|uri$/i;

/** Names that match, but are not secrets: IDs, times, and the ID of a passkey. */
const harmless = /_(id|at|until)$|^credentialID$/;

/** Routes that only return keys of the sandbox, which grant nothing and can be shown again. */
const ofSandbox = new Set(["getSandbox", "rotateSandboxKey"]);
const routes = [...contractRoutes, ...authRoutes].filter((route) => !ofSandbox.has(route.id));

describe("secrets in responses", () => {
  test.each(routes.map((route) => [route.id, route] as const))(
    "%s marks each member of its response that looks like a secret",
    (_, route) => {
      const forgotten = [...leaves(route.answer ?? z.undefined())].filter(({ path, type, meta }) => {
        const name = path.findLast((part) => part !== "*") ?? "";
        return type === "string" && looksSecret.test(name) && !harmless.test(name) && meta[mark] !== true;
      });
      expect(forgotten.map(({ path }) => path.join("."))).toEqual([]);
    },
  );

  test("GET and PATCH routes never return a secret", () => {
    const reading = contractRoutes.filter((route) => route.method === "GET" || route.method === "PATCH");
    expect(reading.flatMap((route) => secretFieldsOf(route.answer).map(() => route.id))).toEqual([]);
  });

  test("each secret says what to do if its response is lost", () => {
    for (const route of [...contractRoutes, ...authRoutes])
      for (const { next } of secretFieldsOf(route.answer ?? z.undefined())) expect(next).toEndWith(".");
  });

  test("secrets are found in nullable, listed, optional and nested members", () => {
    const one = secret("", "Replace it.");
    const schema = z.object({
      plain: z.string(),
      maybe: z.object({ deep: one }).nullable(),
      list: z.array(z.object({ item: one.nullable().optional() })),
      choice: z.union([z.object({ left: one }), z.object({ right: z.string() })]),
      by_name: z.record(z.string(), z.object({ value: one })),
    });
    expect(secretFieldsOf(schema).map(({ path }) => path.join("."))).toEqual(
      listed("maybe.deep list.*.item choice.left by_name.*.value"),
    );
  });

  test("the stored copy of a response has no secrets, and the response is not modified", () => {
    const one = secret("", "Replace it.");
    const fields = secretFieldsOf(
      z.object({ a: one, b: z.object({ c: one }).nullable(), d: z.array(z.object({ e: one })) }),
    );
    const answer = { id: 1, a: "s1", b: null, d: [{ e: "s2", f: 2 }, { e: "s3" }] };
    expect(withoutSecrets(answer, fields)).toEqual({
      answer: { id: 1, b: null, d: [{ f: 2 }, {}] },
      removed: ["a", "d.*.e"],
    });
    expect(answer.a).toBe("s1");
    expect(answer.d[0]?.e).toBe("s2");
  });
});
