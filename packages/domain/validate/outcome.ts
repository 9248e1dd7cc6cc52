import { validateStatuses } from "./status.ts";

/** Every outcome in the request log: those of validations, then those of lookups, then requests that were not read. */
export const requestOutcomes = [
  ...validateStatuses.filter((status) => status !== "invalid_api_key"),
  "found",
  "not_found",
  "body_too_large",
  "body_timeout",
] as const;

export type RequestOutcome = (typeof requestOutcomes)[number];

/** Whether a request with this outcome was refused: neither an active license nor a lookup that found one. */
export function isRefused(outcome: string): boolean {
  return outcome !== "active" && outcome !== "found";
}
