import { authBase } from "@countersign/contract/auth/route";
import { everyPermission } from "@countersign/domain/members/permissions";
import { surfaceStorageErrors } from "@countersign/store/errors/problem";
import { userById } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import { APIError } from "better-auth/api";
import type { SignIn } from "../../../api/access.ts";
import type { PersonActor } from "../../../api/actor.ts";
import type { Config } from "../../../base/config.ts";
import { type Devices, markedAt } from "../../../limits/devices.ts";
import type { FloodLimits } from "../../../limits/flood-limits.ts";
import { addPasskeyPath, callbackPath, discordProvider } from "../discord.ts";
import { ipHeader, personSignedIn } from "./account-events.ts";
import { AuthApi } from "./auth-api.ts";
import { type AuthApiParts, type CookieNames, type Endpoint, originFor } from "./auth-call.ts";
import { type Auth, openAuth } from "./better-auth.ts";
import { resetIdentifier } from "./password-reset.ts";
import { addingPasskey } from "./plugins.ts";

interface IdentityParts extends Omit<AuthApiParts, "endpoints" | "personOf" | "resetOwner"> {
  readonly secret: string;
}

/** Authentication: how people sign in, and whose a session is. */
export class Identity implements SignIn {
  readonly flood: FloodLimits;
  readonly api: AuthApi;
  readonly #store: Store;
  readonly #config: Config;
  readonly #auth: Auth;
  readonly #devices: Devices;

  private constructor(
    parts: IdentityParts,
    auth: Auth,
    cookies: CookieNames,
    resetOwner: AuthApiParts["resetOwner"],
  ) {
    this.#store = parts.store;
    this.#config = parts.config;
    this.#auth = auth;
    this.flood = parts.flood;
    this.#devices = parts.devices;
    const personOf = (request: Request) => this.personOf(request);
    this.api = new AuthApi({ ...parts, endpoints: endpointsOf(auth), personOf, resetOwner }, cookies);
  }

  static async open(parts: IdentityParts): Promise<Identity> {
    const { store, config, log, secret, flood } = parts;
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
      const stored = await internalAdapter.findVerificationValue(resetIdentifier(token));
      return stored === null || stored.expiresAt.getTime() <= Date.now() ? null : stored.value;
    };
    const cookies = {
      session: authCookies.sessionToken.name,
      secondFactor: createAuthCookie("two_factor").name,
    };
    return new Identity(parts, auth, cookies, resetOwner);
  }

  /** The owner of the session cookie; nobody if it is invalid or its owner is suspended. */
  async personOf(request: Request): Promise<PersonActor | null> {
    const headers = new Headers({ cookie: request.headers.get("cookie") ?? "" });
    const session = await surfaceStorageErrors(
      () => this.#auth.api.getSession({ headers, query: { disableRefresh: true } }),
      (result) => result === null,
    );
    if (session === null) return null;
    const user = await userById(this.#store.reads, session.user.id);
    if (user === undefined || user.suspended_at !== null) return null;
    return {
      kind: "person",
      userId: user.id,
      name: user.name,
      email: user.email,
      isPlatformAdmin: user.is_platform_admin === 1,
      by: { session: session.session.id },
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

/**
 * The library's endpoints by path. Its own router rebuilds all of them for every request, which blocks the event loop
 * for milliseconds.
 */
export function endpointsOf(auth: Auth): ReadonlyMap<string, Endpoint> {
  const endpoints = new Map<string, Endpoint>();
  for (const endpoint of Object.values(auth.api)) {
    if (!("path" in endpoint) || typeof endpoint.path !== "string") continue;
    const call = endpoint as unknown as (input: object) => Promise<Response>;
    const respond = (input: object) =>
      surfaceStorageErrors(
        () => call({ ...input, asResponse: true }).catch(asResponse),
        ({ status }) => status >= 400,
      );
    const isAdding = endpoint.path === addPasskeyPath;
    endpoints.set(endpoint.path, isAdding ? (input) => addingPasskey(() => respond(input)) : respond);
    if (endpoint.path === callbackPath) {
      const params = { id: discordProvider };
      endpoints.set(`/callback/${discordProvider}`, (input) => respond({ ...input, params }));
    }
  }
  return endpoints;
}

/** An error before an endpoint runs is thrown, not returned. */
function asResponse(error: unknown): Response {
  if (!(error instanceof APIError)) throw error;
  return Response.json(error.body ?? {}, { status: error.statusCode, headers: new Headers(error.headers) });
}
