import { expect, test } from "bun:test";
import { blankDraft, foldedCount, type NewDraft, nextDraft, typedOf } from "./new-draft.ts";

const expiry = { expiry: "from_now", amount: 2 } as const;
const terms: NewDraft = {
  ...blankDraft,
  ...expiry,
  productId: "p",
  quantity: "several",
  count: 25,
  maxIps: 7,
};
const customer = { email: "ada@example.com", name: "Ada", discordId: "123" };
const collapsed = { tags: ["vip"], notes: "met at the fair", licenseKey: "AAAA", metadata: "{}" };
const versions = { pin: "range", rangeMin: "1.0.0", rangeMax: "2.0.0" } as const;
const filled: NewDraft = { ...terms, ...customer, ...collapsed, ...versions };

test("the next license keeps the terms, but no customer and no collapsed fields", () =>
  expect(nextDraft(filled)).toEqual(terms));

test("a collapsed section shows how many of its fields are filled in", () => {
  expect(foldedCount(blankDraft)).toBe(0);
  expect(foldedCount({ ...blankDraft, tags: ["vip"], notes: "n" })).toBe(2);
  // A range counts as one field.
  expect(foldedCount(filled)).toBe(5);
});

test("defaults of a product do not count as typed fields", () => {
  const defaults = { ...blankDraft, maxIps: 9, expiry: "from_now", productId: "p" } as const;
  expect(typedOf(defaults)).toEqual(typedOf(blankDraft));
  expect(typedOf({ ...blankDraft, email: "a" })).not.toEqual(typedOf(blankDraft));
});
