import { manageBase } from "@countersign/contract/api/bases";
import type { Route } from "@countersign/contract/api/route";
import type { Database, Store } from "@countersign/store/store";
import { isSuspended, type OrganizationRow } from "@countersign/store/tables/organizations";
import type { Config } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { type ObservedRequest, type RequestObserver, unobserved } from "../http/observer.ts";
import { organizationSuspended, Problem, problemOf, problemResponse } from "../http/problem.ts";
import { callerIpOf, pathBelow, targetOf } from "../http/request.ts";
import {
  authenticate,
  authorize,
  checkImpersonatedQuery,
  type SignIn,
  shownToImpersonator,
} from "./access.ts";
import { type Actor, actorId } from "./actor.ts";
import { bodyBounds, boundedBody, mediaType } from "./bounded-body.ts";
import type { BoundRoute, Context } from "./context.ts";
import { Idempotency, idempotencyKeyOf, SecretsOnce, type StoredAnswer, Superseded } from "./idempotency.ts";
import { readBody, readQuery } from "./input.ts";
import { Router } from "./router.ts";

interface ApiParts {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  readonly signIn: SignIn;
}

/** Which of the APIs it is. */
interface ApiSite {
  /** The path that all its routes are below. */
  readonly base: string;
  /** The URL of the pages that call it: browsers can change something only from there. */
  readonly url: string;
  /**
   * Whether anonymous requests from pages of other sites can change something. Where they sign someone in, such a page
   * could sign its visitor in as someone else.
   */
  readonly acceptsAnonymousFromAnywhere: boolean;
  /** The actor; null if anonymous. */
  readonly authenticate: (request: Request, nowMs: number) => Promise<Actor | null>;
}

/** Serves routes: finds the one, authenticates and authorizes the caller, parses the input, and responds. */
export class RoutedApi {
  readonly #parts: ApiParts;
  readonly #router: Router;
  readonly #site: ApiSite;
  readonly #observer: RequestObserver;
  readonly #origin: string;
  readonly #secrets = new SecretsOnce();

  constructor(
    parts: ApiParts,
    routes: readonly BoundRoute[],
    site: ApiSite = managementSite(parts),
    observer: RequestObserver = unobserved,
  ) {
    this.#parts = parts;
    this.#observer = observer;
    this.#router = new Router(routes);
    this.#site = site;
    this.#origin = new URL(site.url).origin;
  }

  async handle(request: Request, peer: string | null, requestId: string): Promise<Response> {
    const observed = this.#observer(request, requestId);
    const response = await this.#answerOrProblem(request, peer, requestId, observed);
    observed.done(response.status);
    return response;
  }

  async #answerOrProblem(
    request: Request,
    peer: string | null,
    requestId: string,
    observed: ObservedRequest,
  ): Promise<Response> {
    try {
      return await this.#answer(request, peer, requestId, observed);
    } catch (error) {
      return problemResponse(problemOf(error, this.#parts.log, requestId), requestId);
    }
  }

  async #answer(
    request: Request,
    peer: string | null,
    requestId: string,
    observed: ObservedRequest,
  ): Promise<Response> {
    const { store } = this.#parts;
    const { pathname, search, searchParams } = targetOf(request);
    const match = this.#router.match(request.method, pathBelow(pathname, this.#site.base));
    if (!match.found) throw unmatched(request.method, match.methods);
    const { route, handle } = match.bound;
    observed.routed(route.id, this.#site.base + route.path);
    const ip = callerIpOf(peer, request.headers, this.#parts.config.trustedProxies)?.text ?? null;
    if (route.access.who === "anyone") await this.#parts.signIn.flood.check(route.access.attempt, ip, null);
    // The database's clock: validations use it, whatever this node's clock says.
    const nowMs = await store.clock();
    const actor = await this.#site.authenticate(request, nowMs);
    this.#checkOrigin(request, actor);
    const subject = await authorize(route, match.params, actor, store, nowMs);
    if (subject.organization !== null && isWrite(request) && route.changesNothing !== true)
      checkServed(subject.organization, actor, route);
    const query = readQuery(route, searchParams);
    const isImpersonated = subject.organizationAccess?.impersonatedUntilMs !== undefined;
    if (isImpersonated) checkImpersonatedQuery(query);
    const ifMatch = ifMatchOf(request);
    const key = request.method === "POST" && actor !== null ? idempotencyKeyOf(request) : null;
    // Last: a request that is rejected for any other reason costs only its headers.
    const body = await readBody(route, request);
    const idempotency =
      key === null || actor === null
        ? null
        : new Idempotency(store, actorId(actor), key, `POST ${pathname}${search}\n${withoutPassword(body)}`);
    // Whether a streamed body is the same as before is known once it has arrived.
    const before = route.bodyTypes === undefined ? await idempotency?.answered() : null;
    if (before) return this.#repeat(route, before, requestId);

    const context: Context = {
      ...this.#parts,
      ...subject,
      actor,
      nowMs,
      requestId,
      ip,
      request,
      body: streamOf(request, route, idempotency),
      ifMatch,
      transaction: async (work) => {
        try {
          return await store.transaction(async (db) => {
            const value = await work(db);
            await idempotency?.keep(db, route.status, this.#secrets.kept(route, value), nowMs);
            return value;
          });
        } catch (error) {
          // Two simultaneous requests with one key: the slower one was rolled back and gets the response of the other.
          const kept = await idempotency?.answered();
          if (kept) throw new AnsweredBefore(kept);
          throw error instanceof Superseded ? inProgress() : error;
        }
      },
      keep: async (value) => {
        try {
          await idempotency?.storeAlone(route.status, value, nowMs);
        } catch (error) {
          const kept = await idempotency?.answered();
          if (kept) throw new AnsweredBefore(kept);
          throw error instanceof Superseded ? inProgress() : error;
        }
      },
      progress: () => idempotency?.progress() ?? null,
      checkAccess: async () => {
        const nowMs = await store.clock();
        const caller = await this.#site.authenticate(request, nowMs);
        await authorize(route, match.params, caller, store, nowMs);
      },
      step: async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
        // Progress is stored as is, so it could contain a secret.
        if (this.#secrets.hasSecrets(route))
          throw new Error(`${route.id} returns a secret, so it must use one transaction.`);
        if (idempotency === null) return store.transaction(work);
        try {
          return await idempotency.step(work, nowMs);
        } catch (error) {
          if (!(error instanceof Superseded)) throw error;
          const kept = await idempotency.answered();
          if (kept) throw new AnsweredBefore(kept);
          const progress = idempotency.progress();
          if (progress === null) throw inProgress();
          return progress as T;
        }
      },
    };
    try {
      const input = { params: match.params, query, body: body.value };
      // `authorize` has found what the route's path and access promise, and the schemas have parsed the rest.
      const value = await handle(context as never, input as never);
      if (isImpersonated) return this.#respond(route.status, shownToImpersonator(value), requestId, false);
      if (value instanceof Response) {
        value.headers.set("x-request-id", requestId);
        return value;
      }
      return this.#respond(route.status, value, requestId, false);
    } catch (error) {
      if (error instanceof AnsweredBefore) return this.#repeat(route, error.kept, requestId);
      throw error;
    }
  }

  #repeat(route: Route, kept: StoredAnswer, requestId: string): Response {
    return this.#respond(kept.status, this.#secrets.repeated(route, kept.body), requestId, true);
  }

  #respond(status: number, body: unknown, requestId: string, replayed: boolean): Response {
    const headers: Record<string, string> = { "cache-control": "no-store", "x-request-id": requestId };
    if (replayed) headers["idempotent-replayed"] = "true";
    if (body === undefined || status === 204) return new Response(null, { status: 204, headers });
    const updatedAt =
      typeof body === "object" && body !== null && "updated_at" in body ? body.updated_at : null;
    if (typeof updatedAt === "string") headers.etag = `"${updatedAt}"`;
    headers["content-type"] = "application/json; charset=utf-8";
    return new Response(JSON.stringify(body), { status, headers });
  }

  /** A browser attaches cookies to requests from any site, but it cannot forge the origin. */
  #checkOrigin(request: Request, actor: Actor | null): void {
    if (!isWrite(request)) return;
    const origin = request.headers.get("origin");
    if (origin === this.#origin) return;
    const byCookie = actor?.kind === "customer" || (actor?.kind === "person" && "session" in actor.by);
    const isFree = actor !== null || origin === null || this.#site.acceptsAnonymousFromAnywhere;
    if (!byCookie && isFree) return;
    throw new Problem("wrong_origin", { origin: this.#origin });
  }
}

export function managementSite({ config, store, signIn }: ApiParts): ApiSite {
  return {
    base: manageBase,
    url: config.url,
    acceptsAnonymousFromAnywhere: true,
    authenticate: (request, nowMs) => authenticate(request, store, signIn, nowMs),
  };
}

class AnsweredBefore extends Error {
  readonly kept: StoredAnswer;

  constructor(kept: StoredAnswer) {
    super("The request already has a response.");
    this.kept = kept;
  }
}

function inProgress(): Problem {
  return new Problem("request_in_progress", {}, { headers: { "retry-after": "1" } });
}

/** The body of a route that reads it itself. */
function streamOf(
  request: Request,
  route: Route,
  idempotency: Idempotency | null,
): AsyncIterable<Uint8Array> | null {
  if (route.bodyTypes === undefined || request.body === null) return null;
  const body = boundedBody(request, bodyBounds(route.bodyLimit.bytes));
  return idempotency === null ? body : idempotency.reading(body, mediaType(request));
}

/** Requests are compared by a fast hash, from which a password could be guessed. */
function withoutPassword({ text, value }: { readonly text: string; readonly value: unknown }): string {
  if (typeof value !== "object" || value === null || !("password" in value)) return text;
  const { password: _, ...rest } = value;
  return JSON.stringify(rest);
}

function isWrite(request: Request): boolean {
  return request.method !== "GET" && request.method !== "HEAD";
}

/** Refuses to change what belongs to an organization that is suspended. */
function checkServed(organization: OrganizationRow, actor: Actor | null, { whileUnpaid }: Route): void {
  if (!isSuspended(organization)) return;
  // The reason is not for its customers.
  if (actor?.kind === "customer") throw new Problem("seller_suspended");
  if (organization.suspended_at !== null) throw organizationSuspended(organization.suspension_reason);
  if (whileUnpaid !== true) throw new Problem("billing_suspended");
}

function unmatched(method: string, methods: readonly string[]): Problem {
  if (methods.length === 0) return new Problem("unknown_path");
  return new Problem(
    "method_not_allowed",
    { allowed: methods.join(", "), method },
    { headers: { allow: methods.join(", ") } },
  );
}

/**
 * The entity tags of `If-Match`, without their quotes; null if any state will do. A weak tag counts too: proxies that
 * compress responses weaken their tags, which still identify the state.
 */
function ifMatchOf(request: Request): readonly string[] | null {
  const header = request.headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return null;
  if (!entityTagList.test(header)) throw new Problem("invalid_if_match");
  return Array.from(header.matchAll(entityTag), (match) => match[1] ?? "");
}

const entityTag = /(?:W\/)?"([^"]*)"/g;
const entityTagList = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/;
