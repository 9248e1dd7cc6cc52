import { expect, test } from "bun:test";
import { blankDraft, filledCount, type NewDraft, nextDraft, typedOf } from "./new-draft.ts";

const expiry = { expiry: "from_now", amount: 2 } as const;
const terms: NewDraft = {
  ...blankDraft,
  ...expiry,
  productId: "p",
  quantity: "several",
  count: 25,
  max_ips: 7,
};
const customer = {
  customer_email: "ada@example.com",
  customer_name: "Ada",
  customer_discord_id: "123",
};
const collapsed = { tags: ["vip"], notes: "met at the fair", license_key: "AAAA", metadata: "{}" };
const versions = {
  version_pin_mode: "range",
  version_range_min: "1.0.0",
  version_range_max: "2.0.0",
} as const;
const filled: NewDraft = { ...terms, ...customer, ...collapsed, ...versions };

test("the next license keeps the terms, but no customer and no collapsed fields", () =>
  expect(nextDraft(filled)).toEqual(terms));

test("a collapsed section shows how many of its fields are filled in", () => {
  expect(filledCount(blankDraft)).toBe(0);
  expect(filledCount({ ...blankDraft, tags: ["vip"], notes: "n" })).toBe(2);
  // A range counts as one field.
  expect(filledCount(filled)).toBe(5);
});

test("defaults of a product do not count as typed fields", () => {
  const defaults = { ...blankDraft, max_ips: 9, expiry: "from_now", productId: "p" } as const;
  expect(typedOf(defaults)).toEqual(typedOf(blankDraft));
  expect(typedOf({ ...blankDraft, customer_email: "a" })).not.toEqual(typedOf(blankDraft));
});
