import { problem } from "./declare.ts";

/** What customers cannot do to their licenses themselves. */
export const selfServiceProblems = {
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
