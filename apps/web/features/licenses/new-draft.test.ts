import { expect, test } from "bun:test";
import { blankDraft, foldedCount, type NewDraft, nextDraft, typedOf } from "./new-draft.ts";

const filled: NewDraft = {
  ...blankDraft,
  productId: "p",
  quantity: "several",
  count: 25,
  email: "ada@example.com",
  name: "Ada",
  discordId: "123",
  expiry: "from_now",
  amount: 2,
  maxIps: 7,
  tags: ["vip"],
  notes: "met at the fair",
  licenseKey: "AAAA",
  pin: "range",
  rangeMin: "1.0.0",
  rangeMax: "2.0.0",
  metadata: "{}",
};

test("the next license keeps the terms, but no customer and no collapsed fields", () => {
  expect(nextDraft(filled)).toEqual({
    ...blankDraft,
    productId: "p",
    quantity: "several",
    count: 25,
    expiry: "from_now",
    amount: 2,
    maxIps: 7,
  });
});

test("a collapsed section shows how many of its fields are filled in", () => {
  expect(foldedCount(blankDraft)).toBe(0);
  expect(foldedCount({ ...blankDraft, tags: ["vip"], notes: "n" })).toBe(2);
  // A range counts as one field.
  expect(foldedCount(filled)).toBe(5);
});

test("defaults of a product do not count as typed", () => {
  expect(typedOf({ ...blankDraft, maxIps: 9, expiry: "from_now", productId: "p" })).toEqual(
    typedOf(blankDraft),
  );
  expect(typedOf({ ...blankDraft, email: "a" })).not.toEqual(typedOf(blankDraft));
});
