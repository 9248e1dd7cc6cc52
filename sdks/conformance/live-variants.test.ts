import { expect, test } from "bun:test";
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
    ...cases.map((one) => ({ name: one.name, why: whyNoLiveVariant(one) })),
    ...webhooks.map((one) => ({ name: one.name, why: whyNoLiveDelivery(one, webhooks) })),
  ],
}));

test("every scripted case without a live variant is one that a real server cannot produce", () => {
  const without: Record<string, string[]> = {};
  for (const { file, whys } of reasons)
    for (const { name, why } of whys)
      if (why !== null) without[why] = [...(without[why] ?? []), `${file}: ${name}`].sort();
  expect(without).toEqual({
    "an exact Retry-After": [
      "errors.json: a Retry-After date counts from the Date of the response",
      "errors.json: a Retry-After date counts from the clock if the Date is unreadable",
      "errors.json: a Retry-After date counts from the clock if the response has no Date",
      "errors.json: a Retry-After date in the past is one second",
      "errors.json: a Retry-After date that is far away is not waited for",
      "errors.json: the older forms of a Retry-After date are read",
      "rate-limit.json: a 429 can give a date",
      "rate-limit.json: a 429 is an error with its reset time and is not retried",
      "rate-limit.json: a Retry-After of zero is one second",
      "rate-limit.json: a date far in the future is one day",
      "rate-limit.json: a date in the past is one second",
      "rate-limit.json: an unreadable Retry-After leaves the wait to the body",
      "rate-limit.json: an unreadable Retry-After without a body is one minute",
      "rate-limit.json: no request is sent until the limit resets",
      "rate-limit.json: the client waits at most one day",
      "rate-limit.json: the date of a 429 counts from the Date of the response",
      "rate-limit.json: the grace period after a 429 ends as any other",
      "rate-limit.json: the older forms of a date are read in a 429",
      "rate-limit.json: without a Retry-After header the body gives the wait",
      "rate-limit.json: without a given wait the client waits one minute",
    ],
    "exact headers": [
      "grace.json: a grace result keeps the problem but not the rest of the daily limit",
      "rate-limit.json: a 429 has the response; a call that is not sent has none",
      "validate.json: a problem that the server reports is part of the result",
      "validate.json: a rejection has the rest of the daily limit too",
      "validate.json: headers of a limit that are incomplete or unreadable are ignored",
      "validate.json: parameters of a limit can be in any order, with spaces and others between them",
      "validate.json: the rest of the daily limit is read from the headers",
    ],
    // A real sandbox answers a case of its own, with all its license keys.
    "a response of the sandbox": [
      "sandbox.json: a 401 of the sandbox is reported as a response of the sandbox",
      "sandbox.json: a 429 of the sandbox does not stop other requests",
      "sandbox.json: a client that allows the sandbox gets its results",
      "sandbox.json: a reached limit of an allowed sandbox does not stop other requests",
      "sandbox.json: a response of the sandbox gets no grace period",
      "sandbox.json: a response of the sandbox is an error",
      "sandbox.json: a sandbox error has the response",
      "sandbox.json: an allowed sandbox ends no grace period",
      "sandbox.json: an allowed sandbox starts no grace period",
      "sandbox.json: an unknown key of an allowed sandbox is remembered",
      "sandbox.json: an unknown key of the sandbox is not remembered unless the sandbox is allowed",
      "sandbox.json: check denies access for a response of the sandbox",
      "sandbox.json: check in advisory mode denies access for a response of the sandbox",
      "sandbox.json: only the value true marks a response of the sandbox",
      "sandbox.json: the sandbox does not end a grace period unless it is allowed",
    ],
    "no server is reached": [
      "errors.json: a call can have its own timeout",
      "errors.json: a connection that is cut twice is a connection error",
      "errors.json: a missing response is a timeout and is not retried",
      "errors.json: a timeout has neither status nor body",
      "errors.json: an error without a response has neither status nor body",
      "errors.json: check denies access without a server and reports the error",
      "errors.json: check in advisory mode allows access without a server",
      "grace.json: a license that was never validated gets no grace period",
      "lookup.json: a key that no license can have is not found, without a request",
      "sandbox.json: an impossible key is answered with a test API key too",
      "sandbox.json: no request is sent with a test API key",
      "validate.json: a key of more than 64 characters is answered without a request",
      "validate.json: a key of spaces is answered without a request",
      "validate.json: a key with a control character is answered without a request",
      "validate.json: a key with an unpaired surrogate is answered without a request",
      "validate.json: a missing key is answered without a request",
      "validate.json: advisory mode allows no impossible key",
      "validate.json: an empty key is answered without a request",
    ],
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
