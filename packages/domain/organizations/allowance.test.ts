import { expect, test } from "bun:test";
import { type AllowanceFacts, organizationAllowance } from "./allowance.ts";

const someone: AllowanceFacts = {
  override: null,
  ownedPlans: [],
  defaultPlan: "free",
  signUp: "closed",
  isPlatformAdmin: false,
};

test.each<[name: string, facts: Partial<AllowanceFacts>, allowance: number | null]>([
  ["nothing yet", {}, 2],
  ["only Free and Pro", { ownedPlans: ["free", "pro"] }, 2],
  ["an Enterprise organization", { ownedPlans: ["free", "enterprise"] }, null],
  ["only Free, where new ones are on Enterprise", { ownedPlans: ["free"], defaultPlan: "enterprise" }, 2],
  ["an operator's override", { override: 7, ownedPlans: ["free"] }, 7],
  ["an override below the usual", { override: 0, ownedPlans: ["enterprise"] }, 0],
  ["the whole server", { isPlatformAdmin: true, ownedPlans: ["free"] }, null],
  ["an account that anyone can create", { signUp: "open", ownedPlans: ["free"] }, 2],
  ["Enterprise by decision, with open sign-up", { signUp: "open", ownedPlans: ["enterprise"] }, 100],
  [
    "Enterprise by default, with open sign-up",
    { signUp: "open", ownedPlans: ["enterprise"], defaultPlan: "enterprise" },
    2,
  ],
  ["a platform admin's account, with open sign-up", { signUp: "open", isPlatformAdmin: true }, 2],
])("a user with %s", (_, facts, allowance) => {
  expect(organizationAllowance({ ...someone, ...facts })).toBe(allowance);
});
