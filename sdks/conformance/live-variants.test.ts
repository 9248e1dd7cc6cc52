import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "./case.ts";
import { whyNoLiveDelivery } from "./live-deliveries.ts";
import { liveVariantOf, whyNoLiveVariant } from "./live-variants.ts";
import { outcomeCases, sandboxCase } from "./outcomes.ts";
import { suiteFiles } from "./suite-files.ts";

const files = suiteFiles();
/** Real cases need no variant, and portal URLs need no server. */
const scripted = files.filter(([name]) => !["real.json", "portal.json"].includes(name));

/** Why each case has no live variant, or null, by name. */
const reasons = scripted.map(([file, { cases = [], webhooks = [] }]) => ({
  file,
  whys: [
    ...cases.map((one) => ({ name: one.name, why: whyNoLiveVariant(one) })),
    ...webhooks.map((one) => ({ name: one.name, why: whyNoLiveDelivery(one, webhooks) })),
  ],
}));

test("the expected number of scripted cases has a live variant", () => {
  const counts = reasons.map(({ file, whys }) => [
    file,
    `${whys.filter(({ why }) => why === null).length} of ${whys.length}`,
  ]);
  expect(Object.fromEntries(counts)).toEqual({
    "cache.json": "14 of 14",
    "errors.json": "7 of 16",
    "grace.json": "16 of 17",
    "lookup.json": "5 of 7",
    "rate-limit.json": "5 of 10",
    "sandbox.json": "0 of 12",
    "signatures.json": "34 of 35",
    "validate.json": "16 of 25",
    "webhooks.json": "19 of 20",
  });
});

test("every scripted case without a live variant is one that a real server cannot produce", () => {
  const without: Record<string, string[]> = {};
  for (const { file, whys } of reasons)
    for (const { name, why } of whys)
      if (why !== null) without[why] = [...(without[why] ?? []), `${file}: ${name}`].sort();
  expect(without).toEqual({
    "a body that no Countersign sends": [
      "errors.json: 404 on validate is a server error, never a verdict",
      "errors.json: a 200 with a malformed body is not retried",
      "lookup.json: a body that is not a record is a server error",
      "validate.json: a JSON array is a server error",
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
    // A real sandbox answers a case of its own, with all its license keys.
    "a response of the sandbox": [
      "sandbox.json: a 401 of the sandbox is reported as a response of the sandbox",
      "sandbox.json: a 429 of the sandbox does not stop other requests",
      "sandbox.json: a client that allows the sandbox gets its results",
      "sandbox.json: a reached limit of an allowed sandbox does not stop other requests",
      "sandbox.json: a response of the sandbox is an error",
      "sandbox.json: an allowed sandbox ends no grace period",
      "sandbox.json: an allowed sandbox starts no grace period",
      "sandbox.json: check denies access for a response of the sandbox",
      "sandbox.json: check in advisory mode denies access for a response of the sandbox",
      "sandbox.json: only the value true marks a response of the sandbox",
      "sandbox.json: the sandbox does not end a grace period unless it is allowed",
    ],
    "an exact Retry-After": [
      "rate-limit.json: a 429 is an error with its reset time and is not retried",
      "rate-limit.json: no request is sent until the limit resets",
      "rate-limit.json: the client waits at most one day",
      "rate-limit.json: without a Retry-After header the body gives the wait",
      "rate-limit.json: without a given wait the client waits one minute",
    ],
    "no server is reached": [
      "errors.json: a connection that is cut twice is a connection error",
      "errors.json: a missing response is a timeout and is not retried",
      "errors.json: check denies access without a server and reports the error",
      "errors.json: check in advisory mode allows access without a server",
      "grace.json: a license that was never validated gets no grace period",
      "sandbox.json: no request is sent with a test API key",
    ],
    "a response of an intermediary": [
      "errors.json: 413 is a server error and is not retried",
      "errors.json: a redirect is not followed, and the API key is not sent elsewhere",
      "errors.json: after two 503 responses the error describes the second",
      "lookup.json: a 404 from another service is a server error",
    ],
  });
});

test("the README shows the right numbers of cases", () => {
  const whys = reasons.flatMap((file) => file.whys);
  const [, alone] = files.find(([name]) => name === "real.json") ?? [];
  const counts = [
    whys.length,
    whys.filter(({ why }) => why === null).length,
    (alone?.cases?.length ?? 0) + [...outcomeCases(), sandboxCase()].length,
    files.flatMap(([, { portal_urls = [] }]) => portal_urls).length,
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
      for (const [index, { expect: wanted = {} }] of one.steps.entries())
        if (wanted.license === undefined) expect(variant.steps[index]?.expect ?? {}).toEqual(wanted);
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
  const of = (custom: object): Case => ({
    name: "",
    answers: [{ validate: { custom } }],
    steps: [step],
  });
  expect(whyNoLiveVariant(of({ plan: "pro" }))).toBeNull();
  expect(whyNoLiveVariant(of({ plan: "{{product.name}}" }))).toBe("a body that no Countersign sends");
});
