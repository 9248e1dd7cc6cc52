import { problem } from "./declare.ts";

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
} as const;
