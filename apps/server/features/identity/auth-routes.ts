import type { AuthRoute } from "@countersign/contract/auth/route";
import { type AuthRouteId, authRoutes } from "@countersign/contract/auth/routes";
import { Problem } from "../../http/manage/problem.ts";
import type { Attempt } from "./attempts.ts";

/** How the server guards an address, beside what its contract says. */
interface Guard {
  /** What it counts as, when somebody does it over and over. */
  readonly attempt: Attempt;
  /** Which member of the body names the account that it is tried on. */
  readonly account?: "email";
  /** A password that is about to be set. */
  readonly newPassword?: "password" | "newPassword";
  /** Asks for the password of somebody signed in: here, or by the library, which knows only passwords. */
  readonly asksAgain?: "here" | "library";
  /** How the library takes it, where that is another method. */
  readonly libraryMethod?: "GET";
  /** Looks at a password, which there may be no room for. */
  readonly isDear?: true;
  /** Answers no sooner than this, so that its time does not tell whether there is an account. */
  readonly atLeastMs?: number;
}

/** Well above what the longest of them takes on a server that is not overrun. */
const hidesWorkMs = 600;

const guards: Readonly<Record<AuthRouteId, Guard>> = {
  getSession: { attempt: "anything" },
  signIn: { attempt: "sign_in", account: "email", isDear: true },
  signOut: { attempt: "anything" },
  verifyTotp: { attempt: "second_factor" },
  verifyRecoveryCode: { attempt: "second_factor" },
  signInWithDiscord: { attempt: "sign_in" },
  linkDiscord: { attempt: "anything", asksAgain: "here" },
  returnFromDiscord: { attempt: "sign_in" },
  unlinkAccount: { attempt: "anything" },
  signUp: {
    attempt: "sign_up",
    account: "email",
    newPassword: "password",
    isDear: true,
    atLeastMs: hidesWorkMs,
  },
  sendVerificationEmail: { attempt: "verification", account: "email", atLeastMs: hidesWorkMs },
  verifyEmail: { attempt: "token" },
  requestPasswordReset: { attempt: "reset", account: "email", atLeastMs: hidesWorkMs },
  inspectPasswordReset: { attempt: "token" },
  resetPassword: { attempt: "token", newPassword: "newPassword", isDear: true },
  changePassword: { attempt: "password", newPassword: "newPassword", isDear: true },
  enableSecondFactor: { attempt: "password", asksAgain: "library" },
  disableSecondFactor: { attempt: "password", asksAgain: "library" },
  renewRecoveryCodes: { attempt: "password", asksAgain: "library" },
  beginPasskey: { attempt: "anything", asksAgain: "here", libraryMethod: "GET" },
  addPasskey: { attempt: "anything" },
  listPasskeys: { attempt: "anything" },
  renamePasskey: { attempt: "anything" },
  removePasskey: { attempt: "anything", asksAgain: "here" },
  beginPasskeySignIn: { attempt: "sign_in" },
  signInWithPasskey: { attempt: "sign_in" },
  beginConfirmation: { attempt: "anything" },
  confirm: { attempt: "password" },
};

/** An address of the contract, with its guard. */
export interface GuardedRoute extends AuthRoute<AuthRouteId>, Guard {}

const byAddress = new Map<string, GuardedRoute>(
  authRoutes.map((route) => [`${route.method} ${route.path}`, { ...route, ...guards[route.id] }]),
);

export function routeAt(method: string, path: string): GuardedRoute | undefined {
  return byAddress.get(`${method} ${path}`);
}

export function nothingAt(method: string, path: string): Problem {
  const there = authRoutes.filter((candidate) => candidate.path === path);
  if (there.length === 0) return new Problem("not_found", "There is nothing at this address.");
  const allow = there.map((candidate) => candidate.method).join(", ");
  return new Problem("wrong_method", `This address answers to ${allow}, not to ${method}.`, {
    headers: { allow },
  });
}
