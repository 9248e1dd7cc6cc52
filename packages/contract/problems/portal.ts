import { problem } from "./declare.ts";

/** The customer portal: signing in, and what customers cannot do to their licenses themselves. */
export const portalProblems = {
  wrong_sign_in_code: problem(
    401,
    "The code is incorrect or has expired. Check it, use the link in the email, or request a new code.",
    "The response is the same for a wrong, used or expired code, after five wrong ones, and for an unknown email address.",
  ),
  identity_limit_reached: problem(
    409,
    "An account can have at most {limit} email addresses and Discord accounts. Remove one first.",
  ),
  seller_suspended: problem(
    403,
    "This seller is suspended at the moment, so nothing can be changed. Viewing still works.",
  ),

  // Transfers
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

  // Self-service
  self_service_off: problem(403, "The seller does not offer this for this product. Ask the seller to do it."),
  product_not_active: problem(
    409,
    "The seller has turned this product off, so its licenses cannot be changed. Viewing still works.",
  ),
  license_is_revoked: problem(409, "The license is revoked, so it can only be viewed. Ask the seller why."),
  license_is_expired: problem(409, "The license has expired. Renew it before you replace its key."),
  ip_removals_used_up: problem(
    409,
    "All removals of the last 30 days are used. The next one is possible at {next_at}.",
    "`self_service.ip_removals` of the license tells how many are left.",
  ),
  ip_removals_not_enough: problem(
    409,
    {
      one: "Removing all {needed} IP addresses takes as many removals, and {count} is left. Remove a single one instead.",
      other:
        "Removing all {needed} IP addresses takes as many removals, and {count} are left. Remove single ones instead.",
    },
    "Nothing was removed.",
  ),
  key_rotation_limit_reached: problem(
    429,
    {
      one: "The key was replaced too often. It can be replaced again in {count} hour.",
      other: "The key was replaced too often. It can be replaced again in {count} hours.",
    },
    "Retry-After says how many seconds to wait.",
  ),
} as const;

export const portalFieldErrors = {
  already_holder: "already has this license",
} as const;
