import { expect, test } from "bun:test";
import { priceFor } from "./price.ts";

const example = { monthly_price: 2900, yearly_price: 29_000, updated_at: 0 };

test("an example price sells nothing for real money before the plan was saved", () => {
  expect([priceFor(example, "month", "test"), priceFor(example, "year", "test")]).toEqual([2900, 29_000]);
  expect(priceFor(example, "month", "live")).toBeNull();
  const saved = { ...example, monthly_price: null, updated_at: 1 };
  expect([priceFor(saved, "year", "live"), priceFor(saved, "month", "live")]).toEqual([29_000, null]);
});
