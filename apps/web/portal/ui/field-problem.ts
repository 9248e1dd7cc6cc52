import { ApiProblem } from "../../api/problem.ts";

/** What the server says about one field, to be shown beside it. */
export function fieldProblem(error: Error | null, field: string): string | null {
  return error instanceof ApiProblem ? error.of(field) : null;
}
