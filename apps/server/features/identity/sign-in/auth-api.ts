import type { BodyLimit } from "@countersign/contract/api/body-limit";
import { authBase } from "@countersign/contract/auth/route";
import type { z } from "zod";
import { checked } from "../../../api/checked.ts";
import { queryValues } from "../../../api/input.ts";
import { readJsonBody } from "../../../api/json-body.ts";
import { checkBodyTexts } from "../../../api/texts.ts";
import { networkOf } from "../../../http/caller-ip.ts";

import { invalidField, Problem } from "../../../http/problem.ts";
import { tooManyAttempts } from "../../../limits/attempts.ts";
import { type Device, markedAt, ownerOf } from "../../../limits/devices.ts";
import type { FloodLimits } from "../../../limits/flood-limits.ts";
import { pause } from "../../../limits/waiting.ts";
import { passwordFault } from "../passwords/password-rules.ts";
import { checkPasswordCapacity } from "../passwords/passwords.ts";
import { ipHeader, recordSecurityChange, requestHeader, signUp } from "./account-events.ts";
import {
  type AuthApiParts,
  type AuthCall,
  accountOf,
  type CookieNames,
  type EndpointInput,
  type KnownDevice,
  originOf,
  runForCall,
} from "./auth-call.ts";
import type { AuthRequest, GuardedRoute } from "./auth-gate.ts";
import { problemFrom } from "./library-problems.ts";
import { keptAccess, keptAccessOf, showOtherAccess } from "./password-reset.ts";
import { checkFreshWithoutPassword, checkReauthenticated, confirmCall } from "./reauthenticate.ts";

/**
 * Sits between the auth gate and the sign-in library: accepts well-formed requests within the limits per account, and
 * turns errors into problems like the rest of the API.
 */
export class AuthApi {
  readonly #parts: AuthApiParts;
  readonly #origin: string;
  readonly #cookies: CookieNames;

  constructor(parts: AuthApiParts, cookies: CookieNames) {
    this.#parts = parts;
    this.#origin = new URL(parts.config.url).origin;
    this.#cookies = cookies;
  }

  async answer(authRequest: AuthRequest, mayBeKnown: boolean): Promise<Response> {
    const startedMs = performance.now();
    const { request, url, route, ip, claimedDevice, requestId } = authRequest;
    const { flood, personOf } = this.#parts;
    const claimsToBeKnown = mayBeKnown || claimedDevice !== null;
    if (route.isExpensive) {
      const isKnown = claimsToBeKnown || route.id === "resetPassword";
      checkPasswordCapacity({ isKnown, network: networkOf(ip) });
    }
    const person = mayBeKnown ? await personOf(request) : null;
    const device = person === null ? await this.#knownDevice(claimedDevice) : null;
    if (person === null && device === null && claimsToBeKnown) countAsAnonymous(authRequest, flood);
    if (route.needs === "session" && person === null) throw new Problem("sign_in_required");
    const query = checked(route.query, queryValues(url.searchParams), "query") as AuthCall["query"];
    const body = route.body === null ? {} : await readJson(request, route.body, route.bodyLimit);
    const nowMs = await this.#parts.store.clock();
    const call: AuthCall = { route, query, body, person, device, ip, requestId, nowMs };
    const account = accountOf(call);
    if (account !== null) await flood.accounts.check(route.attempt, account, originOf(call));
    await checkNewPassword(call);
    await this.#checkReauthenticated(call);

    if (route.id === "getSession" && person === null) return Response.json(null);
    if (route.id === "inspectPasswordReset") return this.#inspectReset(String(body.token));
    if (person !== null && (route.id === "beginConfirmation" || route.id === "confirm"))
      return confirmCall(call, person, this.#parts, (path, given) =>
        this.#callLibrary(request, call, path, given),
      );
    const endpoint = this.#parts.endpoints.get(route.path);
    if (endpoint === undefined) throw new Problem("unknown_path");
    const input = this.#inputFor(request, call);
    const resetOwner = route.id === "resetPassword" ? await this.#parts.resetOwner(String(body.token)) : null;
    const response = await keptAccess.run(keptAccessOf(body), () =>
      runForCall(call, () =>
        route.id === "signUp" ? signUp(call, this.#parts, () => endpoint(input)) : endpoint(input),
      ),
    );
    await pause(request, (route.minResponseMs ?? 0) - (performance.now() - startedMs));
    if (response.status >= 400) throw await problemFrom(response, route);
    const signedInUserId = resetOwner ?? (await this.#signedInUserId(call, response));
    await recordSecurityChange(call, this.#parts, signedInUserId);
    const shown = await this.#shown(response, route);
    if (signedInUserId !== null) {
      const atMs = await markedAt(this.#parts.store, signedInUserId);
      const cookie = this.#parts.devices.cookieFor(signedInUserId, claimedDevice, atMs);
      shown.headers.append("set-cookie", cookie);
    }
    return shown;
  }

  /** Before the ways to sign in to the account change. */
  async #checkReauthenticated({ route, person: actor, body, ip, nowMs }: AuthCall): Promise<void> {
    if (route.reauthenticatedBy === undefined || actor === null) return;
    const { store, flood } = this.#parts;
    const password = body.password === undefined ? undefined : String(body.password);
    const confirmation = body.confirmation === undefined ? undefined : String(body.confirmation);
    const proof = { store, flood, actor, password, confirmation, ip, nowMs };
    if (route.reauthenticatedBy === "here") await checkReauthenticated(proof);
    else await checkFreshWithoutPassword(proof);
  }

  /** Has the library check a code, for a route that it does not know. */
  async #callLibrary(request: Request, call: AuthCall, path: string, given: object): Promise<Response> {
    const endpoint = this.#parts.endpoints.get(path);
    if (endpoint === undefined) throw new Error(`The sign-in library has no endpoint ${path}.`);
    const input = this.#inputFor(request, { ...call, route: { ...call.route, path }, body: { ...given } });
    return runForCall(call, () => endpoint(input));
  }

  async #inspectReset(token: string): Promise<Response> {
    const userId = await this.#parts.resetOwner(token);
    if (userId === null) throw new Problem("invalid_link");
    return Response.json(await showOtherAccess(this.#parts.store.reads, userId));
  }

  async #knownDevice(claimed: Device | null): Promise<KnownDevice | null> {
    const owner = claimed === null ? null : await ownerOf(this.#parts.store.reads, claimed);
    return claimed === null || owner === null ? null : { id: claimed.id, owner };
  }

  /** The user whose session was opened; null if none was, as before a second factor. */
  async #signedInUserId({ route }: AuthCall, { headers }: Response): Promise<string | null> {
    if (route.id === "getSession" || !setsCookie(headers, this.#cookies.session)) return null;
    const cookie = headers
      .getSetCookie()
      .findLast((one) => one.startsWith(`${this.#cookies.session}=`))
      ?.split(";")[0];
    const person = await this.#parts.personOf(
      new Request(this.#origin, { headers: { cookie: cookie ?? "" } }),
    );
    return person?.userId ?? null;
  }

  #inputFor(request: Request, call: AuthCall): EndpointInput {
    const { route, query } = call;
    const method = route.libraryMethod ?? route.method;
    const body = bodyForLibrary(call);
    const headers = new Headers(request.headers);
    for (const name of ["content-length", "content-encoding", "authorization", "referer"])
      headers.delete(name);
    headers.delete(ipHeader);
    headers.set(requestHeader, call.requestId);
    if (call.ip !== null) headers.set(ipHeader, call.ip);
    // An unusable session, such as that of a suspended user, is rejected here.
    if (call.person === null) withoutCookie(headers, this.#cookies.session);
    const search = new URLSearchParams(query).toString();
    const requestUrl = `${this.#origin}${authBase}${route.path}${search === "" ? "" : `?${search}`}`;
    return {
      method,
      headers,
      request: new Request(requestUrl, { method, headers }),
      query,
      ...(body === null ? {} : { body }),
    };
  }

  /** The page that asks for the code, which leads on to the originally requested page. */
  #secondFactorPage(wanted: string | null): string {
    const page = `${this.#parts.config.url}/sign-in/second-factor`;
    return wanted === null || wanted === "/" ? page : `${page}?next=${encodeURIComponent(wanted)}`;
  }

  async #shown(response: Response, route: GuardedRoute): Promise<Response> {
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    if (response.status !== 200) {
      // Returning from Discord is a page load, so the second factor is requested by redirecting to another page.
      const isAsked = setsCookie(headers, this.#cookies.secondFactor);
      if (route.id === "returnFromDiscord" && isAsked) {
        headers.set("location", this.#secondFactorPage(headers.get("location")));
        return new Response(null, { status: 302, headers });
      }
      return new Response(response.body, { status: response.status, headers });
    }
    headers.set("content-type", "application/json; charset=utf-8");
    return new Response(JSON.stringify(await response.json(), withoutTokens), { status: 200, headers });
  }
}

/** A device that is no longer known passed the auth gate uncounted: it is counted here like any other. */
function countAsAnonymous({ route, ip, claimedDevice }: AuthRequest, flood: FloodLimits): void {
  const waitSeconds = claimedDevice === null ? 0 : flood.countIp(route.attempt, ip);
  const seconds = waitSeconds > 0 ? waitSeconds : flood.countAnonymous();
  if (seconds > 0) throw tooManyAttempts(seconds);
}

/** Without Countersign's own members. */
function bodyForLibrary({ route, body }: AuthCall): AuthCall["body"] | null {
  if (route.body === null || route.libraryMethod === "GET") return null;
  const { keepPasskeys: _, keepAccessTokens: __, keepDiscord: ___, confirmation: _____, ...rest } = body;
  if (route.reauthenticatedBy !== "here") return rest;
  const { password: ____, ...withoutPassword } = rest;
  return withoutPassword;
}

async function checkNewPassword({ route, body, person }: AuthCall): Promise<void> {
  if (route.newPassword === undefined) return;
  const about = {
    email: String(body.email ?? person?.email ?? ""),
    name: String(body.name ?? person?.name ?? ""),
  };
  const fault = await passwordFault(String(body[route.newPassword]), about);
  if (fault !== null) throw invalidField(route.newPassword, fault);
}

/** A session is only in its cookie, which no script can read. */
function withoutTokens(name: string, value: unknown): unknown {
  return name === "token" ? undefined : value;
}

function setsCookie(headers: Headers, name: string): boolean {
  return headers
    .getSetCookie()
    .some((cookie) => cookie.startsWith(`${name}=`) && !cookie.includes("; Max-Age=0;"));
}

function withoutCookie(headers: Headers, name: string): void {
  const cookies = headers.get("cookie");
  if (cookies === null) return;
  const kept = cookies.split(";").filter((cookie) => cookie.split("=")[0]?.trim() !== name);
  if (kept.length === 0) headers.delete("cookie");
  else headers.set("cookie", kept.join(";"));
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The body of a sign-in request, checked against its schema. */
async function readJson(request: Request, schema: z.ZodType, limit: BodyLimit): Promise<JsonObject> {
  const json = await readJsonBody(request, limit);
  if (json !== null) checkBodyTexts(json.value, json.text);
  return checked(schema, json === null ? {} : json.value, "body") as JsonObject;
}
