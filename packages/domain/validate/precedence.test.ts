import { expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { decide } from "./decide.ts";
import type { LicenseFacts } from "./facts.ts";
import { nowMs, passing, type Situation } from "./sample-facts.ts";
import { type Outcome, validateStatuses } from "./status.ts";

type Refusal = Exclude<Outcome, "active">;

/** What makes a request that would pass end with each refusal. A new status has to say so here to compile. */
const causes: Record<Refusal, (situation: Situation) => Situation> = {
  product_not_found: product({ deleted: true }),
  org_suspended: product({ organizationSuspended: true }),
  billing_suspended: product({ billing: "suspended" }),
  product_archived: product({ status: "archived" }),
  product_disabled: product({ status: "disabled" }),
  license_not_found: (situation) => ({ ...situation, license: null }),
  revoked: license({ revoked: true }),
  expired: license({ expiresAtMs: nowMs - 1 }),
  ip_blocked: caller({ blocked: true }),
  ip_not_registered: (situation) =>
    caller({ registered: false })(product({ registration: "off" })(situation)),
  ip_limit_reached: (situation) =>
    caller({ registered: false })(license({ ips: { max: 3, registered: 3 } })(situation)),
  version_not_allowed: caller({ version: "0.9.0" }),
};

const refusals = validateStatuses.filter((status): status is Refusal => status in causes);

test("a request with nothing against it is active", () => expect(statusOf(passing)).toBe("active"));

test("the order begins with the two that end a request undecided and ends with active", () => {
  const undecided = ["invalid_api_key", "rate_limit_exceeded"];
  expect<readonly string[]>(validateStatuses).toEqual([...undecided, ...refusals, "active"]);
});

/** Each reason with itself too, which is each alone. */
const pairs = refusals.flatMap((earlier, index) =>
  refusals.slice(index).map((later): [Refusal, Refusal] => [earlier, later]),
);
test.each(pairs)("of two reasons, the earlier is the status: %s wins over %s", (earlier, later) => {
  expect(statusOf(causes[earlier](causes[later](passing)))).toBe(earlier);
});

test("of any number of reasons, the earliest is the status, and nothing is registered", () =>
  forAll(2_000, [fc.subarray(refusals, { minLength: 1 })], (chosen) => {
    // Applied from the last to the first: a product has one status, so the earlier has to be set later.
    const situation = chosen.reduceRight((worse, refusal) => causes[refusal](worse), passing);
    const verdict = decide(situation.product, situation.license, situation.caller, nowMs);
    expect<string | undefined>(verdict.status).toBe(chosen[0]);
    expect(verdict.effect).toBe("none");
  }));

function statusOf(situation: Situation): Outcome {
  return decide(situation.product, situation.license, situation.caller, nowMs).status;
}

function product(change: Partial<Situation["product"]>) {
  return (situation: Situation): Situation => ({
    ...situation,
    product: { ...situation.product, ...change },
  });
}

function license(change: Partial<LicenseFacts>) {
  return (situation: Situation): Situation =>
    situation.license === null ? situation : { ...situation, license: { ...situation.license, ...change } };
}

function caller(change: Partial<Situation["caller"]>) {
  return (situation: Situation): Situation => ({ ...situation, caller: { ...situation.caller, ...change } });
}
