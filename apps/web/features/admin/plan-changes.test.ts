import { describe, expect, test } from "bun:test";
import { changedFields } from "./changed-fields.ts";
import { hasExamplePrices, needsConfirmation, type PlanFields, planEffects } from "./plan-changes.ts";

const limits = { daily_limit: 100_000, organizations_per_user: 2, max_licenses: 500, max_webhooks: 0 };
const unlimited = { max_products: null, max_members: null, request_log_days: null };
const prices = { monthly_price: 1900, yearly_price: null };
const plan: PlanFields = { ...limits, ...unlimited, ...prices, version_module: true };

describe("a changed plan", () => {
  test("that gives more needs no confirmation", () => {
    const effects = planEffects(plan, { ...plan, daily_limit: null, max_licenses: 501, max_webhooks: null });
    expect(effects.lowered).toEqual([]);
    expect(needsConfirmation(effects)).toBe(false);
  });

  test("names each limit that is lower, also where there was none", () => {
    const effects = planEffects(plan, { ...plan, daily_limit: 0, max_products: 10, request_log_days: 30 });
    expect(effects.lowered).toEqual(["daily_limit", "max_products", "request_log_days"]);
    expect(needsConfirmation(effects)).toBe(true);
  });

  test("says that the version module goes, that a price changes, and that it is no longer sold", () => {
    expect(planEffects(plan, { ...plan, version_module: false }).losesVersions).toBe(true);
    const dearer = planEffects(plan, { ...plan, monthly_price: 2900 });
    expect(dearer).toMatchObject({ newPrice: true, notSold: false });
    const unsold = planEffects(plan, { ...plan, monthly_price: null });
    expect(unsold).toMatchObject({ newPrice: false, notSold: true });
  });

  test("a first price needs no confirmation", () => {
    const unsold = { ...plan, monthly_price: null };
    expect(needsConfirmation(planEffects(unsold, plan))).toBe(false);
  });
});

test("prices are examples until the plan was saved", () => {
  expect(hasExamplePrices({ ...plan, updated_at: "1970-01-01T00:00:00.000Z" })).toBe(true);
  expect(hasExamplePrices({ ...plan, updated_at: "2030-01-01T00:00:00.000Z" })).toBe(false);
  const unsold = { ...plan, monthly_price: null, updated_at: "1970-01-01T00:00:00.000Z" };
  expect(hasExamplePrices(unsold)).toBe(false);
});

test("only changed fields are sent", () =>
  expect(changedFields({ a: 1, b: null, c: "x" }, { a: 1, b: 2, c: "y" })).toEqual({ b: 2, c: "y" }));
