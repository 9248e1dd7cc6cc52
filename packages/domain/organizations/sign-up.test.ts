import { expect, test } from "bun:test";
import {
  type AllowanceFacts,
  missingSignUpLimit,
  organizationAllowance,
  type SignUpFacts,
} from "./sign-up.ts";

const planFacts: SignUpFacts = { signUp: "open", dailyLimit: 10_000, maxProducts: 3 };

test.each<[string, Partial<SignUpFacts>, ReturnType<typeof missingSignUpLimit>]>([
  ["nothing with both limits", {}, null],
  ["nothing with limits of zero", { dailyLimit: 0, maxProducts: 0 }, null],
  ["the limit of products, because the daily limit is per product", { maxProducts: null }, "max_products"],
  ["the daily limit", { dailyLimit: null }, "daily_limit"],
  ["the daily limit first", { dailyLimit: null, maxProducts: null }, "daily_limit"],
  ["nothing if sign-up is closed", { signUp: "closed", dailyLimit: null, maxProducts: null }, null],
])("open sign-up lacks %s", (_, facts, missing) => {
  expect(missingSignUpLimit({ ...planFacts, ...facts })).toBe(missing);
});

const someone: AllowanceFacts = {
  override: null,
  ownedPlans: [],
  perUser: { free: 2, pro: 2, enterprise: null },
  defaultPlan: "free",
  signUp: "closed",
  isPlatformAdmin: false,
};

const perUser = (free: number | null, pro: number, enterprise: number | null = null) => ({
  perUser: { free, pro, enterprise },
});
const open = { signUp: "open" } as const;
const enterprise = { ownedPlans: ["enterprise"], defaultPlan: "enterprise" } as const;
const freeAndPro = { ownedPlans: ["free", "pro"] } as const;

test.each<[name: string, facts: Partial<AllowanceFacts>, allowance: number | null]>([
  ["no organization", {}, 2],
  ["only Free and Pro", freeAndPro, 2],
  ["an Enterprise organization", { ownedPlans: ["free", "enterprise"] }, null],
  ["only Free, where new ones are on Enterprise", { ownedPlans: ["free"], defaultPlan: "enterprise" }, 2],
  ["an operator's override", { override: 7, ownedPlans: ["free"] }, 7],
  ["an override below the usual", { override: 0, ownedPlans: ["enterprise"] }, 0],
  ["the role of platform admin", { isPlatformAdmin: true, ownedPlans: ["free"] }, null],
  ["an account that anyone can create", { ...open, ownedPlans: ["free"] }, 2],
  ["Enterprise by decision, with open sign-up", { ...open, ownedPlans: ["enterprise"] }, 100],
  ["Enterprise by default, with open sign-up", { ...open, ...enterprise }, 2],
  ["Enterprise by default with 8, with open sign-up", { ...open, ...enterprise, ...perUser(2, 2, 8) }, 8],
  ["no organization, where Free allows none", perUser(0, 2), 0],
  ["Pro, which allows more than Free", { ...freeAndPro, ...perUser(1, 5) }, 5],
  ["Free with any number, with open sign-up", { ...open, ownedPlans: ["free"], ...perUser(null, 2) }, 100],
  ["Free with any number", { ...freeAndPro, ...perUser(null, 2) }, null],
  ["a platform admin's account, with open sign-up", { ...open, isPlatformAdmin: true }, 2],
])("a user with %s (%j) may own %p organizations", (_, facts, allowance) => {
  expect(organizationAllowance({ ...someone, ...facts })).toBe(allowance);
});
