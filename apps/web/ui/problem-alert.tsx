import { Alert } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { Icon } from "./icon.tsx";
import { GoLink, type PageLink } from "./links.tsx";

interface ProblemAlertProps {
  readonly error: Error | null;
  /** Fields that already show their own errors. */
  readonly beside?: readonly string[];
}

/** Why the server refused, unless every error is already shown at its field. */
export function ProblemAlert({ error, beside = [] }: ProblemAlertProps) {
  const { t } = useTranslation();
  if (error === null) return null;
  if (error instanceof ApiProblem) {
    const elsewhere = error.errors.filter(({ field }) => !beside.includes(field));
    if (error.errors.length > 0 && elsewhere.length === 0) return null;
    const billing = billingPathFor(error);
    return (
      <Alert color="red" role="alert" icon={<Icon name="warning" />}>
        {elsewhere.length === 0
          ? error.message
          : elsewhere.map(({ field, withName }) => <div key={field}>{withName}</div>)}
        {billing !== null && (
          <>
            {" "}
            <GoLink to={billing.page} inherit underline="always">
              {t("openBilling")}
            </GoLink>
          </>
        )}
      </Alert>
    );
  }
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />}>
      {error instanceof Unreachable ? t("broken.unreachable") : error.message}
    </Alert>
  );
}

/** The error to show at a field. */
export function fieldError(error: Error | null, field: string): string | null {
  return error instanceof ApiProblem ? error.of(field) : null;
}

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
