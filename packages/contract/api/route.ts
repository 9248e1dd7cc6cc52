import type { Permission } from "@countersign/domain/members/permissions";
import { z } from "zod";
import type { ProblemCode } from "../problems/problems.ts";
import { type BodyLimit, noBody, ordinaryBody } from "./body-limit.ts";

/**
 * One endpoint of the management API, as data. The server binds a handler to it, the reference is generated from it,
 * the dashboard calls it, and the access matrix tests every one.
 */
export interface Route<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
  Path extends string = string,
  Who extends Access = Access,
> {
  /** Unique, and the name in generated clients. */
  readonly id: string;
  readonly method: Method;
  /** Below `manageBase`, with `{name}` for what varies. */
  readonly path: Path;
  /** What it does, as one short sentence without a period. */
  readonly summary: string;
  readonly description?: string;
  /** Its heading in the reference. */
  readonly group: string;
  readonly access: Who;
  readonly query: Query;
  readonly body: Body;
  /** The body of the response; `nothing` for a 204. */
  readonly answer: Answer;
  readonly status: 200 | 201 | 202 | 204 | 302;
  /** For responses that are not JSON: their content type. */
  readonly answerType?: "text/csv" | "application/x-ndjson" | "text/event-stream" | "text/html" | "image/*";
  /** For bodies that are not JSON: streamed, not parsed. */
  readonly bodyTypes?: readonly string[];
  /** How much of a body is read. */
  readonly bodyLimit: BodyLimit;
  /** What its handler refuses with, in addition to what all such routes do. */
  readonly problems?: readonly ProblemCode[];
  /**
   * For routes that are no reads: whether they work while the organization's billing is suspended. Those that it takes to
   * pay, to leave and to end someone's access do, and those that change nothing.
   */
  readonly whileUnpaid?: true;
  /** For a POST that only computes its response: it works for a suspended organization, as reads do. */
  readonly changesNothing?: true;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who can call it. Others learn nothing: to a non-member, an organization does not exist. */
export type Access =
  | AnyoneAccess
  | PersonAccess
  | MemberAccess
  | OwnerAccess
  | PlatformAdminAccess
  | CustomerAccess;

interface AnyoneAccess {
  readonly who: "anyone";
  /** What a request counts as, if one IP address sends many. */
  readonly attempt: AnonymousAttempt;
}

/** A signed-in user, or a personal access token as far as the route allows. */
interface PersonAccess {
  readonly who: "person";
  readonly byToken: ByToken;
}

/** A member whose role, or a token that, has this permission in the organization; null for any member. */
export interface MemberAccess {
  readonly who: "member";
  readonly may: Permission | null;
  /** Alternative permissions: those that can manage something can read it. */
  readonly or: readonly Permission[];
}

interface OwnerAccess {
  readonly who: "owner";
}

interface PlatformAdminAccess {
  readonly who: "platform_admin";
}

/** A customer, signed in to the portal. No user and no token is one. */
interface CustomerAccess {
  readonly who: "customer";
}

/** A read, an attempt at a secret, a request for a sign-in code, or an attempt at such a code. */
type AnonymousAttempt = "anything" | "token" | "portal_sign_in" | "portal_code";

/**
 * Which personal access tokens can call a route that concerns the user and requires no permission: none, only those
 * with every permission, or all of them.
 */
export type ByToken = "never" | "full" | "any";

export const anyone = (attempt: AnonymousAttempt): AnyoneAccess => ({ who: "anyone", attempt });
export const person = (byToken: ByToken): PersonAccess => ({ who: "person", byToken });
export const owner: OwnerAccess = { who: "owner" };
export const platformAdmin: PlatformAdminAccess = { who: "platform_admin" };
export const customer: CustomerAccess = { who: "customer" };
export const member = (may: Permission | null, ...or: readonly Permission[]): MemberAccess => ({
  who: "member",
  may,
  or,
});

export const nothing = z.undefined();
const noQuery = z.object({});

type Part = z.ZodType;

/** A route with the common defaults filled in. */
export function route<
  const Path extends string,
  Who extends Access,
  Q extends Part = typeof noQuery,
  B extends Part = typeof nothing,
  A extends Part = typeof nothing,
>(
  parts: Omit<Route<Q, B, A, Path, Who>, "query" | "body" | "answer" | "status" | "bodyLimit"> & {
    readonly query?: Q;
    readonly body?: B;
    readonly answer?: A;
    readonly status?: Route["status"];
    readonly bodyLimit?: BodyLimit;
  },
): Route<Q, B, A, Path, Who> {
  const answer = (parts.answer ?? nothing) as A;
  return {
    ...parts,
    query: (parts.query ?? noQuery) as Q,
    body: (parts.body ?? nothing) as B,
    bodyLimit: parts.bodyLimit ?? (parts.body === undefined ? noBody : ordinaryBody),
    answer,
    status: parts.status ?? (parts.answer === undefined ? 204 : parts.method === "POST" ? 201 : 200),
  };
}

/** The values for the names in braces of a path. */
export type PathParams<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in NamesIn<Path>]: string };

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The names in braces, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

export function takesBody(route: Route): boolean {
  return route.bodyTypes !== undefined || (route.body as z.ZodType) !== nothing;
}

/** The routes among a module's exports: what has a method and a path. */
export function routesIn(module: object): Route[] {
  return Object.values(module).filter(isRoute);
}

function isRoute(value: unknown): value is Route {
  return typeof value === "object" && value !== null && "method" in value && "path" in value;
}

/** The exports of all modules in one type. */
export type ContractOf<Modules extends readonly unknown[]> = Modules extends readonly [
  infer First,
  ...infer Rest,
]
  ? First & ContractOf<Rest>
  : unknown;
