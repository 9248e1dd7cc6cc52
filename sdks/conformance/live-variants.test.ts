import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "./case.ts";
import { suiteFiles } from "./case.ts";
import { whyNoLiveDelivery } from "./live-deliveries.ts";
import { liveVariantOf, whyNoLiveVariant, withoutGeneratedMembers } from "./live-variants.ts";
import { outcomeCases, sandboxCases } from "./outcomes.ts";

const files = suiteFiles();
/** Real cases need no variant, and portal URLs, device IDs and signed webhooks need no server. */
const scripted = files.filter(([name]) => !["real.json", "portal.json", "device.json"].includes(name));

/** Why each case has no live variant, or null, by name. */
const reasons = scripted.map(([file, { cases = [], webhooks = [] }]) => ({
  file,
  whys: [
    ...cases.map((one) => ({ one, why: whyNoLiveVariant(one) })),
    ...webhooks.map((one) => ({ one, why: whyNoLiveDelivery(one, webhooks) })),
  ],
}));

describe("cases without a live variant", () => {
  /** Each reason with the number of cases in each file, and what such a case contains if that can be recognized. */
  const expected: Record<string, [counts: Record<string, number>, content?: RegExp]> = {
    "an exact Retry-After": [{ "errors.json": 6, "rate-limit.json": 14 }, /"status":429|retry-after/],
    "exact headers": [
      { "grace.json": 1, "rate-limit.json": 1, "validate.json": 5 },
      /ratelimit|x-countersign-problem/,
    ],
    // A real sandbox answers a case of its own, with all its license keys.
    "a response of the sandbox": [{ "sandbox.json": 15 }, /"x-countersign-sandbox"/],
    "no server is reached": [
      { "errors.json": 8, "grace.json": 1, "lookup.json": 1, "sandbox.json": 2, "validate.json": 7 },
      /"answers":\[(\{"fault":"\w+"\},?)*\]/,
    ],
    "a response of an intermediary": [{ "errors.json": 16, "lookup.json": 1, "rate-limit.json": 3 }],
    "a body that no Countersign sends": [
      { "errors.json": 2, "grace.json": 2, "lookup.json": 3, "signatures.json": 3, "validate.json": 15 },
    ],
    "a forged signature": [
      { "signatures.json": 1, "webhooks.json": 3 },
      /a signature for another purpose is rejected|a signed body that is not an event is rejected|without a (readable )?time/,
    ],
    "a future status": [{ "validate.json": 2 }, /an unknown status/],
  };
  const found = reasons.flatMap(({ file, whys }) => whys.map((one) => ({ file, ...one })));

  test.each(Object.entries(expected))("%s prevents a live variant", (reason, [counts, content = /./]) => {
    const cases = found.filter(({ why }) => why === reason);
    expect(cases.filter(({ one }) => !content.test(JSON.stringify(one)))).toEqual([]);
    const byFile = Object.entries(Object.groupBy(cases, ({ file }) => file));
    expect(Object.fromEntries(byFile.map(([file, all = []]) => [file, all.length]))).toEqual(counts);
  });

  test("no other reason prevents a live variant", () => {
    const all = new Set<string>(found.flatMap(({ why }) => why ?? []));
    expect(all).toEqual(new Set(Object.keys(expected)));
  });
});

test("the README shows the right numbers of cases", () => {
  const whys = reasons.flatMap((file) => file.whys);
  const [, alone] = files.find(([name]) => name === "real.json") ?? [];
  const counts = [
    whys.length,
    whys.filter(({ why }) => why === null).length,
    (alone?.cases?.length ?? 0) + [...outcomeCases(), ...sandboxCases()].length,
    files.flatMap(([, { portal_urls = [], device_ids = [], signed_webhooks = [] }]) => [
      ...portal_urls,
      ...device_ids,
      ...signed_webhooks,
    ]).length,
  ];
  const text = readFileSync(join(import.meta.dir, "../README.md"), "utf8");
  const rows = text.slice(text.indexOf("| in the suite |")).matchAll(/^\| .* \| (\d+) \|$/gm);
  expect([...rows].map(([, count]) => Number(count))).toEqual(counts);
});

test("a live variant has only answers of a real server, and the steps and expectations of its case", () => {
  for (const one of scripted.flatMap(([, { cases = [] }]) => cases)) {
    const variant = liveVariantOf(one);
    if (variant === null) continue;
    const { answers, steps } = variant;
    expect(answers.some(({ real }) => real !== undefined)).toBe(true);
    for (const { validate, sign, json } of answers)
      expect({ validate, sign, json }).toEqual({ validate: undefined, sign: undefined, json: undefined });
    expect(variant.name).toBe(one.name);
    expect(steps.map((step) => Object.keys(step))).toEqual(one.steps.map((step) => Object.keys(step)));
    for (const [index, step] of one.steps.entries())
      expect(steps[index]?.expect).toEqual(withoutGeneratedMembers(step).expect);
  }
});

const step = { validate: {}, expect: { result: { valid: true } } };

test("an added case automatically gets a live variant", () => {
  const added: Case = {
    name: "added",
    answers: [{ validate: { max_ips: 7 } }, { fault: "cut" }, { status: 401 }],
    steps: [step, { lookup: { license_key: "OTHER" }, expect: { error: { kind: "authentication" } } }],
  };
  expect(liveVariantOf(added)?.answers).toMatchObject([
    { real: { keys: ["ABCD-EFGH-JKMN-PQRS", "OTHER"], outcome: { license: { maxIps: 7 } } } },
    { fault: "cut" },
    { real: { api_key: "expired" } },
  ]);
});

test("answers of two products or two ages have no live variant", () => {
  const secret = "11".repeat(32);
  const client = { signing: { product_id: "prod_1", secrets: [secret] } };
  const sign = { secret, product_id: "prod_1" };
  const of = (...signs: object[]) =>
    ({
      name: "",
      client,
      steps: [step],
      answers: signs.map((one) => ({ validate: {}, sign: { ...sign, ...one } })),
    }) satisfies Case;
  expect(whyNoLiveVariant(of({}, {}))).toBeNull();
  const why = "answers of different servers";
  expect(whyNoLiveVariant(of({}, { product_id: "prod_2" }))).toBe(why);
  expect(whyNoLiveVariant(of({}, { age_seconds: 10 }))).toBe(why);
});

test("a limit that ends in the script ends a day later in the live variant", () => {
  const limited = { status: 429, headers: { "retry-after": "60" } };
  const refused = { validate: {}, expect: { error: { kind: "rate_limit" } } };
  const of = (seconds: number): Case => ({
    name: "",
    answers: [limited, { validate: {} }],
    steps: [{ advance_seconds: 5 }, refused, { advance_seconds: seconds }, step],
  });
  expect(liveVariantOf(of(61))?.steps.map(({ advance_seconds }) => advance_seconds)).toEqual([
    5,
    undefined,
    86_461,
    undefined,
  ]);
  expect(whyNoLiveVariant(of(59))).toBe("an exact Retry-After");
});

test("a custom response with a placeholder has no live variant", () => {
  const of = (custom: object): Case => ({ name: "", answers: [{ validate: { custom } }], steps: [step] });
  expect(whyNoLiveVariant(of({ plan: "pro" }))).toBeNull();
  expect(whyNoLiveVariant(of({ plan: "{{product.name}}" }))).toBe("a body that no Countersign sends");
});
