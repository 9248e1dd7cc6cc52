import { ApiProblem } from "../api/problem.ts";
import type { PageLink } from "./page-link.ts";

/** Refusals that end with a payment or another plan. */
const codes: ReadonlySet<string> = new Set([
  "billing_suspended",
  "product_limit_reached",
  "license_limit_reached",
  "member_limit_reached",
  "webhook_plan_limit_reached",
  "version_module_not_in_plan",
]);

/** With its URL, for what is outside the router. */
interface BillingPage {
  readonly page: PageLink;
  readonly href: string;
}

let billingPath: () => BillingPage | null = () => null;

/** Sets how components find the billing page of the current organization. */
export function setBillingPathFinder(find: () => BillingPage | null): void {
  billingPath = find;
}

/** The billing page, if a refusal ends there and the user can open it. */
export function billingPathFor(error: unknown): BillingPage | null {
  return error instanceof ApiProblem && codes.has(error.code) ? billingPath() : null;
}
