import { authBase } from "@countersign/contract/auth/route";
import type { Store } from "@countersign/store/store";
import type { Config } from "../../config.ts";
import type { PersonActor } from "../../http/manage/actor.ts";
import { checked } from "../../http/manage/checked.ts";
import { queryValues } from "../../http/manage/input.ts";
import { invalid, Problem } from "../../http/manage/problem.ts";
import type { Log } from "../../log.ts";
import { addressHeader, requestHeader } from "./account-events.ts";
import { tooOftenProblem } from "./attempts.ts";
import type { GuardedRoute } from "./auth-routes.ts";
import type { Visit } from "./door.ts";
import type { Endpoint, EndpointInput } from "./endpoints.ts";
import type { FloodLimits } from "./flood-limits.ts";
import { passwordFault } from "./password-rules.ts";
import { checkRoomForPassword } from "./passwords.ts";
import { readJson } from "./read-json.ts";
import { problemFrom } from "./refusals.ts";
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
  readonly route: GuardedRoute;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly person: PersonActor | null;
  readonly ip: string | null;
  readonly requestId: string;
  readonly nowMs: number;
}

/**
 * Stands before the sign-in library, behind the door: lets through what has the right shape and is not tried on one
 * account too often, and says what went wrong in the words of the rest of the API.
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

  async answer({ request, url, route, ip, requestId }: Visit, mayBeKnown: boolean): Promise<Response> {
    const startedMs = performance.now();
    const { flood, personOf } = this.#parts;
    if (route.isDear) checkRoomForPassword();
    const person = mayBeKnown ? await personOf(request) : null;
    const waitSeconds = mayBeKnown && person === null ? flood.countStranger() : 0;
    if (waitSeconds > 0) throw tooOftenProblem(waitSeconds);
    if (route.needs === "session" && person === null) throw new Problem("signed_out", "Sign in first.");
    const query = checked(route.query, queryValues(url.searchParams), "query") as AuthCall["query"];
    const body = route.body === null ? {} : await readJson(request, route.body, route.bodyLimit);
    const call: AuthCall = { route, query, body, person, ip, requestId, nowMs: Date.now() };
    const account = accountOf(call);
    if (account !== null) await flood.accounts.check(route.attempt, account);
    await checkNewPassword(call);

    if (route.id === "getSession" && person === null) return Response.json(null);
    const endpoint = this.#parts.endpoints.get(route.path);
    if (endpoint === undefined) throw new Problem("not_found", "This is not set up on this server.");
    const input = this.#inputFor(request, call);
    const response =
      route.id === "signUp" ? await signUp(call, this.#parts, () => endpoint(input)) : await endpoint(input);
    const left = (route.atLeastMs ?? 0) - (performance.now() - startedMs);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    if (response.status >= 400) throw await problemFrom(response, route);
    await tellAfterwards(call, this.#parts);
    return this.#shown(response, route);
  }

  #inputFor(request: Request, call: AuthCall): EndpointInput {
    const { route, query, body } = call;
    const headers = new Headers(request.headers);
    for (const name of ["content-length", "content-encoding", "authorization", "referer"])
      headers.delete(name);
    headers.delete(addressHeader);
    headers.set(requestHeader, call.requestId);
    if (call.ip !== null) headers.set(addressHeader, call.ip);
    // A session that counts for nothing, such as that of somebody suspended, does not get any further.
    if (call.person === null) withoutCookie(headers, this.#cookies.session);
    const search = new URLSearchParams(query).toString();
    const address = `${this.#origin}${authBase}${route.path}${search === "" ? "" : `?${search}`}`;
    return {
      method: route.method,
      headers,
      request: new Request(address, { method: route.method, headers }),
      query,
      ...(route.body === null ? {} : { body }),
    };
  }

  /** Where the code is asked for, which leads on to the page that was wanted all along. */
  #secondFactorPage(wanted: string | null): string {
    const page = `${this.#parts.config.url}/sign-in/second-factor`;
    return wanted === null || wanted === "/" ? page : `${page}?next=${encodeURIComponent(wanted)}`;
  }

  async #shown(response: Response, route: GuardedRoute): Promise<Response> {
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    if (response.status !== 200) {
      // Coming back from Discord is a page that is opened: being asked for the second factor is another page.
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

function accountOf({ route, body, person }: AuthCall): string | null {
  if (route.account !== undefined) return String(body[route.account]);
  return person?.userId ?? null;
}

async function checkNewPassword({ route, body, person }: AuthCall): Promise<void> {
  if (route.newPassword === undefined) return;
  const about = {
    email: String(body.email ?? person?.email ?? ""),
    name: String(body.name ?? person?.name ?? ""),
  };
  const fault = await passwordFault(String(body[route.newPassword]), about);
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
