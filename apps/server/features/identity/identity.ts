import { authBase } from "@countersign/contract/auth/route";
import { everyPermission } from "@countersign/domain/members/permissions";
import { surfaceStorageErrors } from "@countersign/store/errors/problem";
import { userById } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import type { SignIn } from "../../api/access.ts";
import type { PersonActor } from "../../api/actor.ts";
import type { Config } from "../../base/config.ts";
import type { Log } from "../../base/log.ts";
import { type Devices, markedAt } from "../../limits/devices.ts";
import type { FloodLimits } from "../../limits/flood-limits.ts";
import { ipHeader, personSignedIn } from "./account-events.ts";
import { AuthApi } from "./auth-api.ts";
import type { CookieNames } from "./auth-call.ts";
import { type Auth, openAuth } from "./better-auth.ts";
import { originFor } from "./call-origin.ts";
import { endpointsOf } from "./endpoints.ts";
import { resetIdentifier } from "./password-link.ts";

/** Authentication: how people sign in, and whose a session is. */
export class Identity implements SignIn {
  readonly flood: FloodLimits;
  readonly api: AuthApi;
  readonly #store: Store;
  readonly #config: Config;
  readonly #auth: Auth;
  readonly #devices: Devices;

  private constructor(
    store: Store,
    config: Config,
    log: Log,
    auth: Auth,
    flood: FloodLimits,
    devices: Devices,
    cookies: CookieNames,
    resetOwner: (token: string) => Promise<string | null>,
  ) {
    this.#store = store;
    this.#config = config;
    this.#auth = auth;
    this.flood = flood;
    this.#devices = devices;
    const endpoints = endpointsOf(auth);
    const personOf = (request: Request) => this.personOf(request);
    const parts = { store, config, log, endpoints, flood, devices, personOf, resetOwner };
    this.api = new AuthApi(parts, cookies);
  }

  static async open(
    store: Store,
    config: Config,
    log: Log,
    secret: string,
    flood: FloodLimits,
    devices: Devices,
  ): Promise<Identity> {
    const auth = openAuth({
      store,
      config,
      log,
      secret,
      signedIn: (session) => personSignedIn(store, session),
      countCode: (userId) => flood.accounts.check("second_factor", userId, originFor(userId)),
    });
    const { authCookies, createAuthCookie, internalAdapter } = await auth.$context;
    const resetOwner = async (token: string) => {
      const kept = await internalAdapter.findVerificationValue(resetIdentifier(token));
      return kept === null || kept.expiresAt.getTime() <= Date.now() ? null : kept.value;
    };
    const cookies = {
      session: authCookies.sessionToken.name,
      secondFactor: createAuthCookie("two_factor").name,
    };
    return new Identity(store, config, log, auth, flood, devices, cookies, resetOwner);
  }

  /** The owner of the session cookie; nobody if it is invalid or its owner is suspended. */
  async personOf(request: Request): Promise<PersonActor | null> {
    const headers = new Headers({ cookie: request.headers.get("cookie") ?? "" });
    const found = await surfaceStorageErrors(
      () => this.#auth.api.getSession({ headers, query: { disableRefresh: true } }),
      (session) => session === null,
    );
    if (found === null) return null;
    const user = await userById(this.#store.reads, found.user.id);
    if (user === undefined || user.suspended_at !== null) return null;
    return {
      kind: "person",
      userId: user.id,
      name: user.name,
      email: user.email,
      isPlatformAdmin: user.is_platform_admin === 1,
      by: { session: found.session.id },
      atMost: everyPermission,
    };
  }

  async openSession(email: string, password: string, from: Request, ip: string | null): Promise<string[]> {
    const headers = new Headers({ "content-type": "application/json" });
    headers.set("user-agent", from.headers.get("user-agent") ?? "");
    if (ip !== null) headers.set(ipHeader, ip);
    const requestUrl = `${new URL(this.#config.url).origin}${authBase}/sign-in/email`;
    const request = new Request(requestUrl, { method: "POST", headers });
    const body = { email, password };
    const response = await surfaceStorageErrors(
      () => this.#auth.api.signInEmail({ body, headers, request, asResponse: true }),
      ({ ok }) => !ok,
    );
    if (!response.ok) throw new Error(`A session could not be opened: ${response.status}.`);
    const { user } = (await response.json()) as { user: { id: string } };
    const mark = this.#devices.cookieFor(user.id, null, await markedAt(this.#store, user.id));
    return [...response.headers.getSetCookie(), mark];
  }
}
