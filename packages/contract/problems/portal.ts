import { problem } from "./declare.ts";

export const portalProblems = {
  seller_suspended: problem(
    403,
    "This seller is suspended at the moment, so nothing can be changed. Viewing still works.",
  ),
} as const;
