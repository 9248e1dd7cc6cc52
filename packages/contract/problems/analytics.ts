import { problem } from "./declare.ts";

/** Analytics. */
export const analyticsProblems = {
  range_empty: problem(422, "The range must start before it ends, after 1970 and before now."),
  too_many_buckets: problem(
    422,
    "The range has more than {limit} buckets of this length. Choose a longer interval or a shorter range.",
  ),
} as const;
