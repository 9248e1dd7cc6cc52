import { expect, test } from "bun:test";
import { missingSignUpLimit, type SignUpFacts } from "./open-sign-up.ts";

const open: SignUpFacts = { signUp: "open", dailyLimit: 10_000, maxProducts: 3 };

test.each<[string, Partial<SignUpFacts>, ReturnType<typeof missingSignUpLimit>]>([
  ["nothing with both limits", {}, null],
  ["nothing with limits of zero", { dailyLimit: 0, maxProducts: 0 }, null],
  ["the limit of products, because the daily limit is per product", { maxProducts: null }, "max_products"],
  ["the daily limit", { dailyLimit: null }, "daily_limit"],
  ["the daily limit first", { dailyLimit: null, maxProducts: null }, "daily_limit"],
  ["nothing if sign-up is closed", { signUp: "closed", dailyLimit: null, maxProducts: null }, null],
])("open sign-up lacks %s", (_, facts, missing) => {
  expect(missingSignUpLimit({ ...open, ...facts })).toBe(missing);
});
