import { expect, test } from "bun:test";
import { type AllowanceFacts, organizationAllowance } from "./allowance.ts";

const someone: AllowanceFacts = {
  override: null,
  ownedPlans: [],
  perUser: { free: 2, pro: 2, enterprise: null },
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
  [
    "Enterprise by default with its own allowance, with open sign-up",
    {
      signUp: "open",
      ownedPlans: ["enterprise"],
      defaultPlan: "enterprise",
      perUser: { free: 2, pro: 2, enterprise: 8 },
    },
    8,
  ],
  ["nothing yet, where Free allows none", { perUser: { free: 0, pro: 2, enterprise: null } }, 0],
  [
    "Pro, which allows more than Free",
    { ownedPlans: ["free", "pro"], perUser: { free: 1, pro: 5, enterprise: null } },
    5,
  ],
  [
    "Free with any number, with open sign-up",
    { signUp: "open", ownedPlans: ["free"], perUser: { free: null, pro: 2, enterprise: null } },
    100,
  ],
  [
    "Free with any number",
    { ownedPlans: ["free", "pro"], perUser: { free: null, pro: 2, enterprise: null } },
    null,
  ],
  ["a platform admin's account, with open sign-up", { signUp: "open", isPlatformAdmin: true }, 2],
])("a user with %s", (_, facts, allowance) => {
  expect(organizationAllowance({ ...someone, ...facts })).toBe(allowance);
});
