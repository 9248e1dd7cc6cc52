import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "./case.ts";
import { whyNoLiveDelivery } from "./live-deliveries.ts";
import { withoutGeneratedMembers } from "./live-steps.ts";
import { liveVariantOf, whyNoLiveVariant } from "./live-variants.ts";
import { outcomeCases, sandboxCase } from "./outcomes.ts";
import { suiteFiles } from "./suite-files.ts";

const files = suiteFiles();
/** Real cases need no variant, and portal URLs, device IDs and signed webhooks need no server. */
const scripted = files.filter(([name]) => !["real.json", "portal.json", "device.json"].includes(name));

/** Why each case has no live variant, or null, by name. */
const reasons = scripted.map(([file, { cases = [], webhooks = [] }]) => ({
  file,
  whys: [
    ...cases.map((one) => ({ one, name: one.name, why: whyNoLiveVariant(one) })),
    ...webhooks.map((one) => ({ one, name: one.name, why: whyNoLiveDelivery(one, webhooks) })),
  ],
}));

describe("a scripted case without a live variant is one that a real server cannot produce:", () => {
  const casesFor = (reason: string) =>
    reasons.flatMap(({ file, whys }) =>
      whys
        .filter(({ why }) => why === reason)
        .map(({ one, name }) => ({ one, file, name: `${file}: ${name}` })),
    );

  /** Reasons that the content of a case shows, with the number of cases in each file. */
  const evident: Record<string, [content: RegExp, counts: Record<string, number>]> = {
    "an exact Retry-After": [/"status":429|retry-after/, { "errors.json": 6, "rate-limit.json": 14 }],
    "exact headers": [
      /ratelimit|x-countersign-problem/,
      { "grace.json": 1, "rate-limit.json": 1, "validate.json": 5 },
    ],
    // A real sandbox answers a case of its own, with all its license keys.
    "a response of the sandbox": [/"x-countersign-sandbox"/, { "sandbox.json": 15 }],
    "no server is reached": [
      /"answers":\[(\{"fault":"\w+"\},?)*\]/,
      { "errors.json": 7, "grace.json": 1, "lookup.json": 1, "sandbox.json": 2, "validate.json": 7 },
    ],
  };
  test.each(Object.entries(evident))("%s", (reason, [content, counts]) => {
    const cases = casesFor(reason);
    expect(cases.filter(({ one }) => !content.test(JSON.stringify(one)))).toEqual([]);
    const byFile = Object.entries(Object.groupBy(cases, ({ file }) => file));
    expect(Object.fromEntries(byFile.map(([file, all = []]) => [file, all.length]))).toEqual(counts);
  });

  /** Reasons that have to be judged. */
  const judged: Record<string, string[]> = {
    "a response of an intermediary": [
      "errors.json: 403 and 405 are server errors and are not retried",
      "errors.json: 413 is a server error and is not retried",
      "errors.json: a lookup can have its own number of retries",
      "errors.json: a redirect is not followed, and the API key is not sent elsewhere",
      "errors.json: after the last retry the error describes the last response",
      "errors.json: after two 503 responses the error describes the second",
      "errors.json: an error contains neither the API key nor the license key",
      "errors.json: an error has the status, headers and body of the response",
      "errors.json: an escaped license key is redacted from an error too",
      "errors.json: an unreadable Retry-After is no part of the error",
      "errors.json: the body of an error is cut after 4 KiB",
      "errors.json: the end of a body of 4 KiB contains no part of a key",
      "errors.json: the retries after several 503 responses share the time of the call",
      "lookup.json: a 404 from another service is a server error",
    ],
    "a body that no Countersign sends": [
      "errors.json: 404 on validate is a server error, never a verdict",
      "errors.json: a 200 with a malformed body is not retried",
      "grace.json: a captive portal grants nothing to a license that was never valid",
      "lookup.json: a body that is not a record is a server error",
      "lookup.json: a captive portal is a server error",
      "signatures.json: a captive portal is a server error, not a forged response",
      "signatures.json: advisory mode allows a captive portal",
      "signatures.json: an unsigned verdict is a forged response, even with missing members",
      "validate.json: a JSON array is a server error",
      "validate.json: a response that is not compressed as its header says grants nothing",
      "validate.json: a response without a status is a server error",
      "validate.json: an HTML page is a server error",
      "validate.json: an empty body is a server error",
      "validate.json: status active without valid does not grant access",
      "validate.json: unknown members are ignored",
      "validate.json: valid as a string is a server error",
    ],
    "a forged signature": [
      "signatures.json: a signature for another purpose is rejected",
      "webhooks.json: a signed body that is not an event is rejected",
    ],
    "a future status": [
      "validate.json: an unknown status is passed through",
      "validate.json: an unknown status never grants access",
    ],
  };
  test.each(Object.entries(judged))("%s", (reason, names) => {
    expect(
      casesFor(reason)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names);
  });

  test("for no other reason", () => {
    const found = reasons.flatMap(({ whys }) => whys.flatMap(({ why }) => why ?? []));
    expect([...new Set<string>(found)].sort()).toEqual(
      [...Object.keys(evident), ...Object.keys(judged)].sort(),
    );
  });
});

test("the README shows the right numbers of cases", () => {
  const whys = reasons.flatMap((file) => file.whys);
  const [, alone] = files.find(([name]) => name === "real.json") ?? [];
  const counts = [
    whys.length,
    whys.filter(({ why }) => why === null).length,
    (alone?.cases?.length ?? 0) + [...outcomeCases(), sandboxCase()].length,
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

test("no answer of a live variant is a scripted verdict", () => {
  const variants = scripted.flatMap(([, { cases = [] }]) => cases.flatMap((one) => liveVariantOf(one) ?? []));
  for (const { answers } of variants) {
    expect(answers.some(({ real }) => real !== undefined)).toBe(true);
    for (const { validate, sign, json } of answers)
      expect({ validate, sign, json }).toEqual({ validate: undefined, sign: undefined, json: undefined });
  }
});

test("a live variant has the steps and expectations of its case, except for generated members", () => {
  for (const [, { cases = [] }] of scripted)
    for (const one of cases) {
      const variant = liveVariantOf(one);
      if (variant === null) continue;
      expect(variant.name).toBe(one.name);
      expect(variant.steps.map((step) => Object.keys(step))).toEqual(
        one.steps.map((step) => Object.keys(step)),
      );
      for (const [index, step] of one.steps.entries())
        expect(variant.steps[index]?.expect).toEqual(withoutGeneratedMembers(step).expect);
    }
});

const step = { validate: {}, expect: { result: { valid: true } } };

test("an added case automatically gets a live variant", () => {
  const added: Case = {
    name: "added",
    answers: [{ validate: { max_ips: 7 } }, { fault: "cut" }, { status: 401, text: "" }],
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
  const limited = { status: 429, headers: { "retry-after": "60" }, text: "" };
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
