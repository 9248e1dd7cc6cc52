import { ApiProblem } from "../../api/problem.ts";

/** Whether the transfer, its license or its product has changed, so that the decision is not possible now. */
export function isConflict(problem: unknown): problem is ApiProblem {
  return problem instanceof ApiProblem && problem.status === 409;
}
