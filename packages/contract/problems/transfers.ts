import { problem } from "./declare.ts";

export const transfersProblems = {
  transfers_not_offered: problem(403, "The seller does not offer transfers of this product's licenses."),
  transfer_pending: problem(
    409,
    "A transfer of this license already waits for a decision. Cancel it first to request another one.",
  ),
  transfer_not_pending: problem(
    409,
    "This transfer was already approved, rejected or cancelled. Nothing was changed.",
  ),
  transfer_product_inactive: problem(
    409,
    "The product is disabled or archived, so its licenses cannot be transferred.",
    "A transfer that waits can be rejected or cancelled, or approved once the product is active again.",
  ),
  transfer_license_revoked: problem(
    409,
    "The license is revoked, so it cannot be transferred.",
    "A transfer that waits can be rejected or cancelled, or approved once the license is reinstated.",
  ),
  transfer_limit_reached: problem(
    429,
    "There were {limit} transfer requests for this license within a day. Try again later.",
    "Retry-After says how many seconds to wait.",
  ),
} as const;

export const transfersFieldErrors = {
  already_holder: "already has this license",
} as const;
