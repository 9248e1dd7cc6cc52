import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "./case.ts";
import { whyNoDelivery } from "./deliveries.ts";
import { outcomeCases } from "./outcomes.ts";
import { suiteFiles } from "./suite-files.ts";
import { twinOf, whyNoTwin } from "./twins.ts";

const scripted = suiteFiles().filter(([name]) => name !== "real.json");

/** Why each has no twin, or null, by their names. */
const reasons = scripted.map(([file, { cases = [], webhooks = [] }]) => ({
  file,
  whys: [
    ...cases.map((one) => ({ name: one.name, why: whyNoTwin(one) })),
    ...webhooks.map((one) => ({ name: one.name, why: whyNoDelivery(one, webhooks) })),
  ],
}));

test("so many scripted cases are answered by a real server too", () => {
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
    "signatures.json": "34 of 35",
    "validate.json": "16 of 25",
    "webhooks.json": "19 of 20",
  });
});

test("every scripted case without a twin is one that no real server gives rise to", () => {
  const without: Record<string, string[]> = {};
  for (const { file, whys } of reasons)
    for (const { name, why } of whys)
      if (why !== null) without[why] = [...(without[why] ?? []), `${file}: ${name}`].sort();
  expect(without).toEqual({
    "a body that no Countersign sends": [
      "errors.json: 404 on validate is a server error: it is never an answer",
      "errors.json: a 200 with a broken body is not tried again",
      "lookup.json: a record that is none",
      "validate.json: a list is no answer",
      "validate.json: a page instead of an answer is no answer",
      "validate.json: active without valid does not grant",
      "validate.json: an answer without a status is no answer",
      "validate.json: an empty answer is no answer",
      "validate.json: members that nobody knows yet are no trouble",
      "validate.json: valid as a text is no answer",
    ],
    "a signature that only a forger makes": [
      "signatures.json: another purpose",
      "webhooks.json: a signed body that is no event",
    ],
    "a status of the future": [
      "validate.json: a status that nobody knows yet is kept",
      "validate.json: a status that nobody knows yet never grants",
    ],
    "an exact Retry-After": [
      "rate-limit.json: a 429 is an error with its end, and is not tried again",
      "rate-limit.json: a day at most",
      "rate-limit.json: a minute where nothing tells",
      "rate-limit.json: further calls stay here until it is over",
      "rate-limit.json: the body tells where the header does not",
    ],
    "no server is reached in it": [
      "errors.json: a connection that is cut twice is a connection error",
      "errors.json: check in advisory mode says yes without a server",
      "errors.json: check says no without a server, and why",
      "errors.json: what never answers is a time-out, and is not tried again",
      "grace.json: not without an earlier success",
    ],
    "what something in between answers": [
      "errors.json: 413 is a server error, and is not tried again",
      "errors.json: 503 twice is a server error of the second",
      "errors.json: a redirect is not followed, and the key goes nowhere else",
      "lookup.json: a 404 of something else is no word about a license",
    ],
  });
});

test("the README counts them rightly", () => {
  const whys = reasons.flatMap((file) => file.whys);
  const [, alone] = suiteFiles().find(([name]) => name === "real.json") ?? [];
  const counts = [
    whys.length,
    whys.filter(({ why }) => why === null).length,
    (alone?.cases?.length ?? 0) + outcomeCases().length,
  ];
  const text = readFileSync(join(import.meta.dir, "../README.md"), "utf8");
  const rows = text.slice(text.indexOf("| in the suite |")).matchAll(/^\| .* \| (\d+) \|$/gm);
  expect([...rows].map(([, count]) => Number(count))).toEqual(counts);
});

test("no answer of a twin is a scripted verdict", () => {
  const twins = scripted.flatMap(([, { cases = [] }]) => cases.flatMap((one) => twinOf(one) ?? []));
  for (const { answers } of twins) {
    expect(answers.some(({ real }) => real !== undefined)).toBe(true);
    for (const { validate, sign, json } of answers)
      expect({ validate, sign, json }).toEqual({ validate: undefined, sign: undefined, json: undefined });
  }
});

test("a twin asks and expects what its case does, but for what a server makes up", () => {
  for (const [, { cases = [] }] of scripted)
    for (const one of cases) {
      const twin = twinOf(one);
      if (twin === null) continue;
      expect(twin.name).toBe(one.name);
      expect(twin.steps.map((step) => Object.keys(step))).toEqual(one.steps.map((step) => Object.keys(step)));
      for (const [index, { expect: wanted = {} }] of one.steps.entries())
        if (wanted.license === undefined) expect(twin.steps[index]?.expect ?? {}).toEqual(wanted);
    }
});

const step = { validate: {}, expect: { result: { valid: true } } };

test("a case that is added gets its twin by itself", () => {
  const added: Case = {
    name: "added",
    answers: [{ validate: { max_ips: 7 } }, { fault: "cut" }, { status: 401, text: "" }],
    steps: [step, { lookup: { license_key: "OTHER" }, expect: { error: { kind: "authentication" } } }],
  };
  expect(twinOf(added)?.answers).toMatchObject([
    { real: { keys: ["ABCD-EFGH-JKMN-PQRS", "OTHER"], outcome: { license: { maxIps: 7 } } } },
    { fault: "cut" },
    { real: { api_key: "ended" } },
  ]);
});

test("answers of two products, or of two ages, have no one server", () => {
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
  expect(whyNoTwin(of({}, {}))).toBeNull();
  const why = "answers that no one server gives to one client";
  expect(whyNoTwin(of({}, { product_id: "prod_2" }))).toBe(why);
  expect(whyNoTwin(of({}, { age_seconds: 10 }))).toBe(why);
});

test("a limit that is over in the script is over a day later in its twin", () => {
  const limited = { status: 429, headers: { "retry-after": "60" }, text: "" };
  const refused = { validate: {}, expect: { error: { kind: "rate_limit" } } };
  const of = (seconds: number): Case => ({
    name: "",
    answers: [limited, { validate: {} }],
    steps: [{ advance_seconds: 5 }, refused, { advance_seconds: seconds }, step],
  });
  expect(twinOf(of(61))?.steps.map(({ advance_seconds }) => advance_seconds)).toEqual([
    5,
    undefined,
    86_461,
    undefined,
  ]);
  expect(whyNoTwin(of(59))).toBe("an exact Retry-After");
});

test("what a placeholder would be filled into is no custom response that comes back", () => {
  const of = (custom: object): Case => ({
    name: "",
    answers: [{ validate: { custom } }],
    steps: [step],
  });
  expect(whyNoTwin(of({ plan: "pro" }))).toBeNull();
  expect(whyNoTwin(of({ plan: "{{product.name}}" }))).toBe("a body that no Countersign sends");
});
