import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables/journal.ts";
import { everyRequest } from "./filter.ts";
import { iterateRequests } from "./iterate.ts";
import { type SearchBounds, searchBounds } from "./search.ts";

/** The newest validate request of a product since then, except of the sandbox, as far as a bounded search finds it. */
export async function lastValidation(
  db: Database,
  { id, organization_id }: { readonly id: string; readonly organization_id: string },
  sinceMs: number,
  { clock, longestMs }: SearchBounds = searchBounds,
): Promise<RequestLogRow | undefined> {
  const deadlineMs = clock() + longestMs;
  const lists = iterateRequests(db, {
    filter: { ...everyRequest(organization_id), productId: id, endpoint: "validate", sandbox: false },
    range: { fromMs: sinceMs, untilMs: Number.MAX_SAFE_INTEGER },
    order: "newest",
    rowsTogether: 1,
  });
  for await (const [newest] of lists) if (newest !== undefined || clock() >= deadlineMs) return newest;
  return undefined;
}
