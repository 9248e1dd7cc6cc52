import { expect, test } from "bun:test";
import { phaseOf } from "./announcements-page.tsx";
import { hasExamplePrices, needsConfirmation, type PlanFields, planEffects } from "./plans.ts";
import { changedFields } from "./settings-form.ts";

const limits = { daily_limit: 100_000, organizations_per_user: 2, max_licenses: 500, max_webhooks: 0 };
const unlimited = { max_products: null, max_members: null, request_log_days: null, audit_log_days: null };
const prices = { monthly_price: 1900, yearly_price: null };
const plan: PlanFields = { ...limits, ...unlimited, ...prices, version_module: true };

const lower = { daily_limit: 0, max_products: 10, request_log_days: 30, audit_log_days: 90 };
const unset = "1970-01-01T00:00:00.000Z";

test.each<[what: string, from: object, to: object, effects: object, isAsked: boolean]>([
  ["gives more", {}, { daily_limit: null, max_licenses: 501, max_webhooks: null }, { lowered: [] }, false],
  ["has lower limits, also where there was none", {}, lower, { lowered: Object.keys(lower) }, true],
  ["loses the version module", {}, { version_module: false }, { losesVersions: true }, true],
  ["gets another price", {}, { monthly_price: 2900 }, { newPrice: true, notSold: false }, true],
  ["is no longer sold", {}, { monthly_price: null }, { newPrice: false, notSold: true }, true],
  ["gets its first price", { monthly_price: null }, { monthly_price: 1900 }, {}, false],
])("a plan that %s is confirmed if that is a disadvantage", (_, from, to, effects, isAsked) => {
  const found = planEffects({ ...plan, ...from }, { ...plan, ...to });
  expect(found).toMatchObject(effects);
  expect(needsConfirmation(found)).toBe(isAsked);
});

test.each([
  [1900, unset, true],
  [1900, "2030-01-01T00:00:00.000Z", false],
  [null, unset, false],
])("that a price of %p saved at %s is an example is %p", (monthly_price, updated_at, isExample) => {
  expect(hasExamplePrices({ ...plan, monthly_price, updated_at })).toBe(isExample);
});

test("only changed fields of a plan are sent", () =>
  expect(changedFields({ a: 1, b: null, c: "x" }, { a: 1, b: 2, c: "y" })).toEqual({ b: 2, c: "y" }));

test("an announcement is shown from its start until its end", () => {
  const starts_at = "2030-01-01T00:00:00.000Z";
  const ends_at = "2030-01-02T00:00:00.000Z";
  const phases = (...times: string[]) =>
    times.map((time) => phaseOf({ starts_at, ends_at }, Date.parse(time)));
  expect(phases("2029-12-31T23:59:59.999Z", starts_at)).toEqual(["planned", "shown"]);
  expect(phases("2030-01-01T23:59:59.999Z", ends_at)).toEqual(["shown", "over"]);
  expect(phaseOf({ starts_at, ends_at: null }, Date.UTC(2090))).toBe("shown");
});
