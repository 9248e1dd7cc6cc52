import { problem } from "./declare.ts";

const retryAfter = "Retry-After says how many seconds to wait.";

/** Signing in, accounts, and the first account of a server. */
export const identityProblems = {
  sign_in_required: problem(401, "Sign in first.", "Access tokens are not accepted by the sign-in API."),
  wrong_email_or_password: problem(
    401,
    "The email address or the password is incorrect.",
    "The response is the same whether or not there is an account with this email address.",
  ),
  wrong_password: problem(401, "The password is incorrect."),
  wrong_code: problem(401, "The code is incorrect or was used before. Wait for the next one."),
  wrong_recovery_code: problem(401, "The recovery code is incorrect or was used before."),
  passkey_rejected: problem(401, "The passkey was not accepted."),
  invalid_confirmation: problem(
    401,
    "The confirmation is invalid: it was used, has expired, or belongs to another session. Confirm again.",
  ),
  invalid_link: problem(401, "The link is invalid: it was used or has expired. Request a new one."),
  link_expired: problem(401, "The link has expired. Request a new one."),
  second_factor_expired: problem(
    401,
    "The time to enter the second factor is over. Start again with your password.",
  ),
  too_many_wrong_codes: problem(401, "Too many wrong codes. Start again with your password."),
  email_not_verified: problem(
    403,
    "Verify your email address first: open the link in the email that you received, or request another one.",
  ),
  email_mismatch: problem(403, "The email address must be that of the signed-in account."),
  account_suspended: problem(403, "This account is suspended. Ask the operator of this server why."),
  recent_sign_in_required: problem(
    403,
    "Sign in again to do this: your session is not recent enough.",
    "An account without a password proves its identity with a session that is no older than ten minutes. A passkey is added with a session that is no older than a day.",
  ),
  sign_up_closed: problem(
    403,
    "Creating an account on this server requires an invitation. Ask for one, or open its link again.",
  ),
  invalid_invitation: problem(
    403,
    "The invitation is invalid: it is for another email address, was used or revoked, or has expired.",
  ),
  invalid_setup_link: problem(
    403,
    "The setup link is invalid: it was used, or is older than 30 minutes. Restart the server for a new one.",
  ),
  sign_in_refused: problem(403, "The sign-in service refused the request."),
  passkey_not_found: problem(404, "There is no such passkey, or you cannot see it."),
  sign_in_method_not_found: problem(404, "There is no such sign-in method, or you cannot see it."),
  session_not_found: problem(404, "There is no such session, or you cannot see it."),
  discord_not_configured: problem(404, "Sign-in with Discord is not set up on this server."),
  email_taken: problem(409, "There is already an account with the email address {email}."),
  email_already_verified: problem(409, "The email address is already verified."),
  no_password: problem(409, "This account has no password yet. Request one by email."),
  second_factor_on: problem(409, "The second factor is already on. Turn it off before you set it up again."),
  second_factor_off: problem(409, "The second factor is off."),
  challenge_expired: problem(409, "That took too long. Start again."),
  passkey_already_added: problem(409, "This passkey was added before."),
  last_sign_in_method: problem(409, "This is your only way to sign in. Set up another one first."),
  sign_in_conflict: problem(409, "The request conflicts with the current state of the account."),
  passkey_without_verification: problem(
    422,
    "The passkey was used without a PIN, fingerprint or face. Use one that asks for it.",
    "A passkey counts as both factors, so the device must verify its user.",
  ),
  sign_in_rejected: problem(422, "The sign-in service cannot process the request."),
  too_many_attempts: problem(
    429,
    {
      one: "Too many attempts. Try again in {count} minute.",
      other: "Too many attempts. Try again in {count} minutes.",
    },
    retryAfter,
  ),
  sign_in_busy: problem(429, "Too many people are signing in right now. Try again shortly.", retryAfter),
} as const;

export const identityFieldErrors = {
  common_password: "is one of the first that anyone would guess. Choose a longer or less common one",
  personal_password: "must not be your name or email address. Choose one that others cannot guess",
  same_email: "is already your email address",
  invalid_token: "is invalid: it was used, has expired, or was requested by someone else",
  code_or_response: "or response must be given, but not both",
  not_base64url: "must be base64url",
  not_a_passkey_response: "must be the response of the device to this request. Start again",
  not_a_page: "must be a page of this site, such as /account",
} as const;
