import { concealed, isSearchOfConcealed } from "@countersign/contract/api/concealed";
import type { Route } from "@countersign/contract/api/route";
import { Problem } from "../http/problem.ts";

/** Requests of a platform admin who looks at an organization: they change nothing and reveal no secret. */

/** Refuses what is not for them, before anything is read. */
export function checkImpersonated({ method, answerType }: Route): void {
  if (method !== "GET") throw new Problem("impersonation_read_only");
  // Exports are for moving data elsewhere, and are sent while they are read.
  if (answerType !== undefined) throw new Problem("impersonation_no_secrets");
}

export function checkImpersonatedQuery(query: unknown): void {
  if (typeof query !== "object" || query === null) return;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && isSearchOfConcealed(name)) throw new Problem("impersonation_no_secrets");
  }
}

/** The response without keys and secrets. */
export function shownToImpersonator(answer: unknown): unknown {
  if (answer instanceof Response) throw new Problem("impersonation_no_secrets");
  return concealed(answer);
}
