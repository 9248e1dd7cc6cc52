import { authBase } from "@countersign/contract/auth/route";
import type { Config } from "../../config.ts";
import { addressOf } from "../../http/address.ts";
import { Problem } from "../../http/manage/problem.ts";
import { pathBelow, targetOf } from "../../http/target.ts";
import { type GuardedRoute, nothingAt, routeAt } from "./auth-routes.ts";
import type { Device, Devices } from "./devices.ts";
import type { FloodLimits } from "./flood-limits.ts";
import { hasSignedCookie, sessionCookieName } from "./session-cookie.ts";

/** A request that may go on, and what its first lines say. */
export interface Visit {
  readonly request: Request;
  readonly url: URL;
  readonly route: GuardedRoute;
  readonly ip: string | null;
  /** The device that its cookie names, which may not count any more. */
  readonly claimedDevice: Device | null;
  readonly requestId: string;
}

/** Seconds to wait, for a request that may not. */
export interface TurnedAway {
  readonly retryAfterSeconds: number;
}

/**
 * Decides from the first lines of a request whether it goes any further: before its body is read, before the sign-in
 * library is loaded, and without a question to the database. What a flood costs is what this costs, so it throws
 * nothing for those who come too often: making an error takes longer than all the rest.
 */
export class Door {
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

  enter(request: Request, peer: string | null, requestId: string): Visit | TurnedAway {
    const url = targetOf(request);
    const path = pathBelow(url.pathname, authBase);
    const route = routeAt(request.method, path);
    const attempt = route?.attempt ?? "anything";
    const ip = addressOf(peer, request.headers, this.#config.trustedProxies);
    // An address that tries too often is not counted among the strangers: alone, it must not keep others out.
    const claimedDevice = this.#devices.claimedBy(request.headers);
    let retryAfterSeconds = this.#flood.waitFor(attempt, ip, claimedDevice);
    if (retryAfterSeconds === 0 && claimedDevice === null && !this.mayBeKnown(request))
      retryAfterSeconds = this.#flood.countStranger();
    if (retryAfterSeconds > 0) return { retryAfterSeconds };
    if (route === undefined) throw nothingAt(request.method, path);
    // Not counted: another site must not use up what its visitors' address may try.
    if (route.method === "POST") this.#checkOrigin(request.headers);
    this.#flood.countAddress(attempt, ip, claimedDevice);
    return { request, url, route, ip, claimedDevice, requestId };
  }

  /** Whether the request has a session cookie that this server wrote. */
  mayBeKnown({ headers }: Request): boolean {
    return hasSignedCookie(headers, this.#sessionCookie, this.#secret);
  }

  /** A browser cannot lie about which site made it ask. What is no browser has no cookies and need not say. */
  #checkOrigin(headers: Headers): void {
    const origin = headers.get("origin");
    if (origin === this.#origin || (origin === null && !headers.has("cookie"))) return;
    throw new Problem(
      "wrong_origin",
      `Signing in, and changes with a session, are taken from ${this.#origin} alone.`,
    );
  }
}
