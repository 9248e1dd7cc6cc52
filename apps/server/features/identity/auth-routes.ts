import type { AuthRoute } from "@countersign/contract/auth/route";
import { type AuthRouteId, authRoutes } from "@countersign/contract/auth/routes";
import { Problem } from "../../http/problem.ts";
import type { Attempt } from "../../limits/attempts.ts";

/** How the server guards a route, in addition to its contract. */
interface Guard {
  /** What it counts as for rate limits. */
  readonly attempt: Attempt;
  /** The member of the body that names the account. */
  readonly account?: "email";
  /** A password that is about to be set. */
  readonly newPassword?: "password" | "newPassword";
  /** Requires the password of a signed-in user: checked here, or by the library, which only knows passwords. */
  readonly reauthenticatedBy?: "here" | "library";
  /** The method that the library expects, if it differs. */
  readonly libraryMethod?: "GET";
  /** Checks a password, for which there may be no capacity. */
  readonly isExpensive?: true;
  /** The minimum response time, so that timing does not reveal whether an account exists. */
  readonly minResponseMs?: number;
}

/** Well above what the slowest of them takes on a server that is not overloaded. */
const constantResponseMs = 600;

const guards: Readonly<Record<AuthRouteId, Guard>> = {
  getSession: { attempt: "anything" },
  signIn: { attempt: "sign_in", account: "email", isExpensive: true },
  signOut: { attempt: "anything" },
  verifyTotp: { attempt: "second_factor" },
  verifyRecoveryCode: { attempt: "second_factor" },
  signInWithDiscord: { attempt: "sign_in" },
  linkDiscord: { attempt: "anything", reauthenticatedBy: "here" },
  returnFromDiscord: { attempt: "sign_in" },
  unlinkAccount: { attempt: "anything" },
  signUp: {
    attempt: "sign_up",
    account: "email",
    newPassword: "password",
    isExpensive: true,
    minResponseMs: constantResponseMs,
  },
  sendVerificationEmail: { attempt: "verification", account: "email", minResponseMs: constantResponseMs },
  verifyEmail: { attempt: "token" },
  requestPasswordReset: { attempt: "reset", account: "email", minResponseMs: constantResponseMs },
  inspectPasswordReset: { attempt: "token" },
  resetPassword: { attempt: "token", newPassword: "newPassword", isExpensive: true },
  changePassword: { attempt: "password", newPassword: "newPassword", isExpensive: true },
  enableSecondFactor: { attempt: "password", reauthenticatedBy: "library" },
  disableSecondFactor: { attempt: "password", reauthenticatedBy: "library" },
  renewRecoveryCodes: { attempt: "password", reauthenticatedBy: "library" },
  beginPasskey: { attempt: "anything", reauthenticatedBy: "here", libraryMethod: "GET" },
  addPasskey: { attempt: "anything" },
  listPasskeys: { attempt: "anything" },
  renamePasskey: { attempt: "anything" },
  removePasskey: { attempt: "anything", reauthenticatedBy: "here" },
  beginPasskeySignIn: { attempt: "sign_in" },
  signInWithPasskey: { attempt: "sign_in" },
  beginConfirmation: { attempt: "anything" },
  confirm: { attempt: "password" },
};

/** A route of the contract with its guard. */
export interface GuardedRoute extends AuthRoute<AuthRouteId>, Guard {}

const byAddress = new Map<string, GuardedRoute>(
  authRoutes.map((route) => [`${route.method} ${route.path}`, { ...route, ...guards[route.id] }]),
);

export function routeAt(method: string, path: string): GuardedRoute | undefined {
  return byAddress.get(`${method} ${path}`);
}

export function noRouteProblem(method: string, path: string): Problem {
  const there = authRoutes.filter((candidate) => candidate.path === path);
  if (there.length === 0) return new Problem("unknown_path");
  const allowed = there.map((candidate) => candidate.method);
  return new Problem("method_not_allowed", { allowed, method }, { headers: { allow: allowed.join(", ") } });
}
