import { expect, test } from "bun:test";
import { priceFor } from "./price.ts";

const example = { monthly_price: 2900, yearly_price: 29_000, updated_at: 0 };

test("an example price sells nothing for real money before the plan was saved", () => {
  expect(priceFor(example, "month", "test")).toBe(2900);
  expect(priceFor(example, "year", "test")).toBe(29_000);
  expect(priceFor(example, "month", "live")).toBeNull();
  expect(priceFor({ ...example, updated_at: 1 }, "year", "live")).toBe(29_000);
  expect(priceFor({ ...example, monthly_price: null, updated_at: 1 }, "month", "live")).toBeNull();
});
