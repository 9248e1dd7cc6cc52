import { Problem, type ProblemKind } from "../../http/manage/problem.ts";
import type { GuardedRoute } from "./auth-routes.ts";

const badLink = [
  "wrong_credentials",
  "The link is not good: it was used, or it has run out. Ask for a new one.",
] as const;

export function linkNotGood(): Problem {
  return new Problem(...badLink);
}

/** The sign-in library's errors, in the wording of the rest of the API. */
const known: Readonly<Record<string, readonly [ProblemKind, string]>> = {
  INVALID_EMAIL_OR_PASSWORD: ["wrong_credentials", "The e-mail address or the password is not right."],
  INVALID_EMAIL: ["invalid", "email should be an e-mail address, such as ada@example.com."],
  INVALID_PASSWORD: ["wrong_credentials", "The password is not right."],
  CREDENTIAL_ACCOUNT_NOT_FOUND: [
    "conflict",
    "This account has no password yet. Ask for a new one by e-mail to get one.",
  ],
  EMAIL_NOT_VERIFIED: [
    "email_not_verified",
    "Verify your e-mail address first: open the link in the letter you got, or ask for another one.",
  ],
  EMAIL_MISMATCH: ["forbidden", "email should be the address of the account that is signed in."],
  EMAIL_ALREADY_VERIFIED: ["conflict", "The e-mail address is verified already."],
  SUSPENDED: ["forbidden", "This account is suspended. Ask the operator of this server why."],
  INVALID_TOKEN: badLink,
  TOKEN_EXPIRED: ["wrong_credentials", "The link has run out. Ask for a new one."],
  INVALID_CODE: [
    "wrong_credentials",
    "The code is not right, or it was used already. Wait for the next one.",
  ],
  INVALID_BACKUP_CODE: ["wrong_credentials", "The recovery code is not right, or it was used already."],
  INVALID_TWO_FACTOR_COOKIE: [
    "second_factor_required",
    "Begin again with your password: the time for the second factor is over.",
  ],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: [
    "second_factor_required",
    "Too many wrong codes. Begin again with your password.",
  ],
  TOTP_ALREADY_ENABLED: ["conflict", "The second factor is on already. Turn it off first to set it up anew."],
  TOTP_NOT_ENABLED: ["conflict", "There is no second factor to check. Turn it on first."],
  TWO_FACTOR_NOT_ENABLED: ["conflict", "The second factor is off."],
  BACKUP_CODES_NOT_ENABLED: ["conflict", "The second factor is off."],
  SESSION_NOT_FRESH: ["forbidden", "You signed in more than a day ago. Sign in again to do this."],
  PASSKEY_NOT_ACCEPTED: [
    "invalid",
    "response should be what the device answered to this request. Begin again.",
  ],
  PASSKEY_NOT_FOUND: ["not_found", "There is no such passkey, or you cannot see it."],
  CHALLENGE_NOT_FOUND: ["conflict", "That took too long. Begin again."],
  AUTHENTICATION_FAILED: ["wrong_credentials", "The passkey was not accepted."],
  FAILED_TO_UNLINK_LAST_ACCOUNT: ["conflict", "This is your only way to sign in. Set up another one first."],
  ACCOUNT_NOT_FOUND: ["not_found", "There is no such way to sign in, or you cannot see it."],
  PROVIDER_NOT_FOUND: ["not_found", "Signing in with Discord is not set up on this server."],
};

const byStatus: Readonly<Record<number, ProblemKind>> = {
  401: "signed_out",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "too_many_requests",
};

const lockedSeconds = 900;

export async function problemFrom(response: Response, route: GuardedRoute): Promise<Problem> {
  const text = await response.text();
  const { code = "", message = "" } = members(text);
  if (code === "ACCOUNT_TEMPORARILY_LOCKED" || response.status === 429) {
    return new Problem("too_many_requests", "Too many wrong codes. Try again later.", {
      headers: { "retry-after": response.headers.get("retry-after") ?? String(lockedSeconds) },
    });
  }
  const words = known[code];
  if (words !== undefined) return new Problem(words[0], words[1]);
  if (response.status >= 500)
    throw new Error(`The sign-in library failed at ${route.path}: ${text.slice(0, 500)}`);
  return new Problem(byStatus[response.status] ?? "invalid", message || "The request cannot be carried out.");
}

export function unavailable(): Problem {
  return new Problem("unavailable", "The database does not answer right now. Try again shortly.", {
    headers: { "retry-after": "1" },
  });
}

function members(text: string): { code?: string; message?: string } {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
