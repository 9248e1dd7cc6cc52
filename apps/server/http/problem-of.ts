import { type Log, reasonOf } from "../base/log.ts";
import { isStorageError } from "../base/storage-errors.ts";
import { Problem } from "./problem.ts";

/**
 * What any error is answered with: 503 if storage is unavailable, and 500 for a bug, whose cause is logged under the ID
 * of the request and not shown to the caller.
 */
export function problemOf(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (isStorageError(log, error))
    return new Problem("database_unavailable", {}, { headers: { "retry-after": "1" } });
  log.error("A request failed unexpectedly.", {
    request_id: requestId,
    reason: reasonOf(error),
    stack: error instanceof Error ? (error.stack ?? "") : "",
  });
  return new Problem("internal_error");
}
