import { problem } from "./declare.ts";

const perProcess =
  "The limit is per user or access token, and per organization, on each server process. Retry-After says how many seconds to wait.";

export const requestsProblems = {
  request_not_found: problem(
    404,
    "There is no such request in the log, or you cannot see it.",
    "Requests appear about two seconds after they were made, and are deleted after a number of days that depends on the plan.",
  ),
  too_many_streams: problem(
    429,
    "There are {limit} live streams open for you or your organization. Close one first.",
    perProcess,
  ),
  too_many_polls: problem(
    429,
    "{limit} requests for you or your organization are waiting for events. Let one end first.",
    perProcess,
  ),
  too_many_exports: problem(
    429,
    "{limit} exports of your organization are being downloaded. Wait until one has ended.",
    perProcess,
  ),
} as const;
