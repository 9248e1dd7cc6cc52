import { type AuthRoute, authBase } from "@countersign/contract/auth/route";
import { type AuthRouteId, authRoutes } from "@countersign/contract/auth/routes";
import type { Config } from "../../../base/config.ts";
import { callerIpOf } from "../../../http/caller-ip.ts";
import { Problem } from "../../../http/problem.ts";
import { hasSignedCookie, sessionCookieName } from "../../../http/session-cookie.ts";
import { pathBelow, targetOf } from "../../../http/target.ts";
import type { Attempt } from "../../../limits/attempts.ts";
import type { Device, Devices } from "../../../limits/devices.ts";
import type { FloodLimits } from "../../../limits/flood-limits.ts";

/** An accepted request, and what its headers say. */
export interface AuthRequest {
  readonly request: Request;
  readonly url: URL;
  readonly route: GuardedRoute;
  readonly ip: string | null;
  /** The device named by its cookie, which may no longer be valid. */
  readonly claimedDevice: Device | null;
  readonly requestId: string;
}

/** The seconds to wait, for a rejected request. */
interface RejectedRequest {
  readonly retryAfterSeconds: number;
}

/**
 * Decides from the headers alone whether a request is accepted: before its body is read, before the sign-in library is
 * loaded, and without a database query. This is the whole cost of a flood, so it throws nothing for callers over the
 * limit: creating an error takes longer than all the rest.
 */
export class AuthGate {
  readonly #config: Config;
  readonly #flood: FloodLimits;
  readonly #devices: Devices;
  readonly #secret: string;
  readonly #origin: string;
  readonly #sessionCookie: string;

  constructor(config: Config, flood: FloodLimits, devices: Devices, secret: string) {
    this.#config = config;
    this.#flood = flood;
    this.#devices = devices;
    this.#secret = secret;
    this.#origin = new URL(config.url).origin;
    this.#sessionCookie = sessionCookieName(config.url);
  }

  admit(request: Request, peer: string | null, requestId: string): AuthRequest | RejectedRequest {
    const url = targetOf(request);
    const path = pathBelow(url.pathname, authBase);
    const route = routeAt(request.method, path);
    const attempt = route?.attempt ?? "anything";
    const ip = callerIpOf(peer, request.headers, this.#config.trustedProxies)?.text ?? null;
    // An IP address over its own limit does not count towards the shared one: alone, it must not keep others out.
    const claimedDevice = this.#devices.claimedBy(request.headers);
    let retryAfterSeconds = this.#flood.waitFor(attempt, ip, claimedDevice);
    if (retryAfterSeconds === 0 && claimedDevice === null && !this.mayBeKnown(request))
      retryAfterSeconds = this.#flood.countAnonymous();
    if (retryAfterSeconds > 0) return { retryAfterSeconds };
    if (route === undefined) throw noRouteProblem(request.method, path);
    // Not counted: another site must not use up the attempts of its visitors' IP address.
    if (route.method === "POST") this.#checkOrigin(request.headers);
    this.#flood.countIp(attempt, ip, claimedDevice);
    return { request, url, route, ip, claimedDevice, requestId };
  }

  /** Whether the request has a session cookie that this server signed. */
  mayBeKnown({ headers }: Request): boolean {
    return hasSignedCookie(headers, this.#sessionCookie, this.#secret);
  }

  /** A browser cannot forge the origin of a request. Other clients have no cookies and need not send one. */
  #checkOrigin(headers: Headers): void {
    const origin = headers.get("origin");
    if (origin === this.#origin || (origin === null && !headers.has("cookie"))) return;
    throw new Problem("wrong_origin", { origin: this.#origin });
  }
}

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

function routeAt(method: string, path: string): GuardedRoute | undefined {
  return byAddress.get(`${method} ${path}`);
}

function noRouteProblem(method: string, path: string): Problem {
  const there = authRoutes.filter((candidate) => candidate.path === path);
  if (there.length === 0) return new Problem("unknown_path");
  const allowed = there.map((candidate) => candidate.method);
  return new Problem("method_not_allowed", { allowed, method }, { headers: { allow: allowed.join(", ") } });
}
