import type { Store } from "@countersign/store/store";
import type { Config } from "../../config.ts";
import { addressOf } from "../../http/address.ts";
import type { PersonActor } from "../../http/manage/actor.ts";
import { invalid, Problem, problemResponse } from "../../http/manage/problem.ts";
import { type Log, reasonOf } from "../../log.ts";
import { addressHeader, requestHeader } from "./account-events.ts";
import { type AuthRoute, authBase, authRoutes } from "./auth-routes.ts";
import type { Endpoint, EndpointInput } from "./endpoints.ts";
import type { FloodLimits } from "./flood-limits.ts";
import { passwordFault } from "./password-rules.ts";
import { checkRoomForPassword } from "./passwords.ts";
import { readJson } from "./read-json.ts";
import { problemFrom, unavailable } from "./refusals.ts";
import { signUp } from "./sign-up.ts";
import { tellAfterwards } from "./tell-afterwards.ts";

export interface AuthApiParts {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly flood: FloodLimits;
  readonly personOf: (request: Request) => Promise<PersonActor | null>;
}

export interface CookieNames {
  readonly session: string;
  /** Of somebody who has given the password and is asked for the rest. */
  readonly secondFactor: string;
}

/** A request to the sign-in library that has been read and may go on. */
export interface AuthCall {
  readonly route: AuthRoute;
  readonly body: Readonly<Record<string, unknown>>;
  readonly person: PersonActor | null;
  readonly ip: string | null;
  readonly requestId: string;
  readonly nowMs: number;
}

/**
 * Stands before the sign-in library: lets through what is wanted, from this site alone, seldom enough, in the right
 * shape, and says what went wrong in the words of the rest of the API.
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

  async handle(request: Request, peer: string | null, requestId: string): Promise<Response> {
    try {
      const response = await this.#answer(request, peer, requestId);
      response.headers.set("x-request-id", requestId);
      response.headers.set("cache-control", "no-store");
      return response;
    } catch (error) {
      return problemResponse(this.#problemOf(error, requestId), requestId);
    }
  }

  async #answer(request: Request, peer: string | null, requestId: string): Promise<Response> {
    const startedMs = performance.now();
    const url = new URL(request.url);
    const route = routeOf(request.method, url.pathname.slice(authBase.length));
    if (route.method === "POST") this.#checkOrigin(request.headers);
    const { config, flood, personOf } = this.#parts;
    const ip = addressOf(peer, request.headers, config.trustedProxies);
    const mayBeKnown = request.headers.get("cookie")?.includes(this.#cookies.session) === true;
    if (!mayBeKnown) flood.checkStrangers();
    if (route.isDear) checkRoomForPassword();
    const person = await personOf(request);
    if (mayBeKnown && person === null) flood.checkStrangers();
    if (route.needs === "session" && person === null) throw new Problem("signed_out", "Sign in first.");
    const body = route.body === null ? {} : await readJson(request, route.body);
    const call: AuthCall = { route, body, person, ip, requestId, nowMs: Date.now() };
    flood.check(route.attempt, ip, accountOf(call));
    checkNewPassword(call);

    if (route.path === "/get-session" && person === null) return Response.json(null);
    const endpoint = this.#parts.endpoints.get(route.path);
    if (endpoint === undefined) throw new Problem("not_found", "This is not set up on this server.");
    const input = this.#inputFor(request, url, call);
    const response =
      route.path === "/sign-up/email"
        ? await signUp(call, this.#parts, () => endpoint(input))
        : await endpoint(input);
    const left = (route.atLeastMs ?? 0) - (performance.now() - startedMs);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    if (response.status >= 400) throw await problemFrom(response, route);
    await tellAfterwards(call, this.#parts);
    return this.#shown(response, route);
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

  #inputFor(request: Request, url: URL, call: AuthCall): EndpointInput {
    const { route, body } = call;
    const headers = new Headers(request.headers);
    for (const name of ["content-length", "content-encoding", "authorization", "referer"])
      headers.delete(name);
    headers.delete(addressHeader);
    headers.set(requestHeader, call.requestId);
    if (call.ip !== null) headers.set(addressHeader, call.ip);
    // A session that counts for nothing, such as that of somebody suspended, does not get any further.
    if (call.person === null) withoutCookie(headers, this.#cookies.session);
    const address = `${this.#origin}${authBase}${route.path}${url.search}`;
    return {
      method: route.method,
      headers,
      request: new Request(address, { method: route.method, headers }),
      query: Object.fromEntries(url.searchParams),
      ...(route.body === null ? {} : { body }),
    };
  }

  async #shown(response: Response, route: AuthRoute): Promise<Response> {
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    if (response.status !== 200) {
      // Coming back from Discord is a page that is opened: being asked for the second factor is another page.
      const isAsked = setsCookie(headers, this.#cookies.secondFactor);
      if (route.path === "/callback/discord" && isAsked) {
        headers.set("location", `${this.#parts.config.url}/sign-in/second-factor`);
        return new Response(null, { status: 302, headers });
      }
      return new Response(response.body, { status: response.status, headers });
    }
    headers.set("content-type", "application/json; charset=utf-8");
    return new Response(JSON.stringify(await response.json(), withoutTokens), { status: 200, headers });
  }

  #problemOf(error: unknown, requestId: string): Problem {
    if (error instanceof Problem) return error;
    const storage = unavailable(error);
    if (storage !== null) return storage;
    this.#parts.log.error("A sign-in request failed in a way it should not.", {
      request_id: requestId,
      reason: reasonOf(error),
      stack: error instanceof Error ? (error.stack ?? "") : "",
    });
    return new Problem(
      "broken",
      "Something went wrong on the server. The log has the details under this request id.",
    );
  }
}

function routeOf(method: string, path: string): AuthRoute {
  const there = authRoutes.filter((route) => route.path === path);
  const route = there.find((candidate) => candidate.method === method);
  if (route !== undefined) return route;
  if (there.length === 0) throw new Problem("not_found", "There is nothing at this address.");
  const allow = there.map((candidate) => candidate.method).join(", ");
  throw new Problem("wrong_method", `This address answers to ${allow}, not to ${method}.`, {
    headers: { allow },
  });
}

function accountOf({ route, body, person }: AuthCall): string | null {
  if (route.account !== undefined) return String(body[route.account]);
  return person?.userId ?? null;
}

function checkNewPassword({ route, body, person }: AuthCall): void {
  if (route.newPassword === undefined) return;
  const about = {
    email: String(body.email ?? person?.email ?? ""),
    name: String(body.name ?? person?.name ?? ""),
  };
  const fault = passwordFault(String(body[route.newPassword]), about);
  if (fault !== null) throw invalid(route.newPassword, fault);
}

/** A session is in its cookie, where no script can read it, and nowhere else. */
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
