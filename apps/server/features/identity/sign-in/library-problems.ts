import type { ProblemCode, ProblemParams } from "@countersign/contract/problems/problems";
import { invalid, Problem } from "../../../http/problem.ts";
import { tooManyAttempts } from "../../../limits/attempts.ts";
import type { GuardedRoute } from "./auth-gate.ts";

/** A code without parameters. */
type PlainCode = {
  [C in ProblemCode]: [keyof ProblemParams<C>] extends [never] ? C : never;
}[ProblemCode];

/** The sign-in library's errors, as codes of this API. */
const problemCodes: Readonly<Record<string, PlainCode>> = {
  INVALID_EMAIL_OR_PASSWORD: "wrong_email_or_password",
  INVALID_PASSWORD: "wrong_password",
  CREDENTIAL_ACCOUNT_NOT_FOUND: "no_password",
  EMAIL_NOT_VERIFIED: "email_not_verified",
  EMAIL_MISMATCH: "email_mismatch",
  EMAIL_ALREADY_VERIFIED: "email_already_verified",
  SUSPENDED: "account_suspended",
  INVALID_TOKEN: "invalid_link",
  TOKEN_EXPIRED: "link_expired",
  INVALID_CODE: "wrong_code",
  INVALID_BACKUP_CODE: "wrong_recovery_code",
  INVALID_TWO_FACTOR_COOKIE: "second_factor_expired",
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: "too_many_wrong_codes",
  TOTP_ALREADY_ENABLED: "second_factor_on",
  TOTP_NOT_ENABLED: "second_factor_off",
  TWO_FACTOR_NOT_ENABLED: "second_factor_off",
  BACKUP_CODES_NOT_ENABLED: "second_factor_off",
  SESSION_NOT_FRESH: "recent_sign_in_required",
  SESSION_EXPIRED: "session_expired",
  PASSKEY_NOT_FOUND: "passkey_not_found",
  PASSKEY_ALREADY_ADDED: "passkey_already_added",
  NOT_VERIFIED_BY_DEVICE: "passkey_without_verification",
  CHALLENGE_NOT_FOUND: "challenge_expired",
  AUTHENTICATION_FAILED: "passkey_rejected",
  FAILED_TO_UNLINK_LAST_ACCOUNT: "last_sign_in_method",
  ACCOUNT_NOT_FOUND: "sign_in_method_not_found",
  PROVIDER_NOT_FOUND: "discord_not_configured",
};

/** For an error of the library that is not in the list above. */
const byStatus: Readonly<Record<number, PlainCode>> = {
  401: "sign_in_required",
  403: "sign_in_refused",
  404: "not_found",
  409: "sign_in_conflict",
};

const lockedSeconds = 900;

export async function problemFrom(response: Response, route: GuardedRoute): Promise<Problem> {
  const text = await response.text();
  const code = codeIn(text);
  if (code === "ACCOUNT_TEMPORARILY_LOCKED" || response.status === 429)
    return tooManyAttempts(Number(response.headers.get("retry-after") ?? lockedSeconds));
  if (code === "INVALID_EMAIL") return invalid("email", "not_an_email");
  if (code === "PASSKEY_NOT_ACCEPTED") return invalid("response", "not_a_passkey_response");
  const problem = problemCodes[code];
  if (problem !== undefined) return new Problem(problem);
  if (response.status >= 500)
    throw new Error(`The sign-in library failed at ${route.path}: ${text.slice(0, 500)}`);
  return new Problem(byStatus[response.status] ?? "sign_in_rejected");
}

function codeIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "code" in body ? String(body.code) : "";
  } catch {
    return "";
  }
}
