import { problem } from "./declare.ts";

export const requestsProblems = {
  request_not_found: problem(
    404,
    "There is no such request in the log, or you cannot see it.",
    "Requests appear about two seconds after they were made, and are deleted after a number of days that depends on the plan.",
  ),
  too_many_streams: problem(
    429,
    "You have {limit} live streams open. Close one first.",
    "The limit is per user or access token, on each server process. Retry-After says how many seconds to wait.",
  ),
} as const;
