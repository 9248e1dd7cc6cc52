import { auth, manage } from "virtual:routes";
import { manageBase } from "@countersign/contract/api/bases";
import type { Route } from "@countersign/contract/api/route";
import type { ManageContract } from "@countersign/contract/manage/routes";
import type { z } from "zod";
import { place, search, send } from "./send.ts";

/** The routes of the management API, by their IDs in the contract. */
type Routes = {
  [Id in keyof ManageContract as ManageContract[Id] extends Route<infer _Q, infer _B, infer _A>
    ? Id
    : never]: ManageContract[Id];
};
export type RouteId = keyof Routes & string;
type Of<Id extends RouteId> =
  Routes[Id] extends Route<infer Q, infer B, infer A> ? { q: Q; b: B; a: A } : never;
export type Answer<Id extends RouteId> = z.output<Of<Id>["a"]>;
export type Query<Id extends RouteId> = z.input<Of<Id>["q"]>;
export type Body<Id extends RouteId> = z.input<Of<Id>["b"]>;
/** One item of a list. */
export type Item<Id extends RouteId> = Answer<Id> extends { data: (infer T)[] } ? T : never;

/** Values for the placeholders in the path. */
export type Params<Id extends RouteId> = ParamsOf<Routes[Id]["path"]>;

interface Content<Id extends RouteId> {
  readonly query?: Partial<Query<Id>>;
  readonly body?: Body<Id>;
  readonly signal?: AbortSignal;
  /** For intentional repeats: with the same key, the change is made once. */
  readonly idempotencyKey?: string;
}

/** What a route is called with. */
export type Input<Id extends RouteId, Left extends keyof Content<Id> = never> = WithParams<
  Routes[Id]["path"]
> &
  Omit<Content<Id>, Left>;

/** Calls a route of the management API. Throws an `ApiProblem` if the server refuses. */
export function call<Id extends RouteId>(id: Id, ...[input]: Rest<Input<Id>>): Promise<Answer<Id>> {
  return callAny(id, input);
}

/** The same for code that works with every route. */
export async function callAny<Id extends RouteId>(id: Id, input: AnyInput = {}): Promise<Answer<Id>> {
  const { url, method } = place(manageBase, manage[id], input.params);
  const { body, signal, idempotencyKey } = input;
  const response = await send(url + search(input.query), { method, body, signal, idempotencyKey });
  return (response.status === 204 ? undefined : await response.json()) as Answer<Id>;
}

/** Uploads a file to a route that takes one; its type is that of the file. */
export async function upload<Id extends RouteId>(
  id: Id,
  file: Blob,
  ...[input]: Rest<Input<Id, "query" | "body" | "idempotencyKey">>
): Promise<Answer<Id>> {
  const { params, signal }: AnyInput = input ?? {};
  const { url, method } = place(manageBase, manage[id], params);
  const response = await send(url, { method, body: file, signal });
  return (await response.json()) as Answer<Id>;
}

/** The URL of a route, for links that the browser opens itself, such as downloads. */
export function urlOf<Id extends RouteId>(
  id: Id,
  ...[input]: Rest<Input<Id, "body" | "signal" | "idempotencyKey">>
): string {
  const { params, query }: AnyInput = input ?? {};
  return place(manageBase, manage[id], params).url + search(query);
}

/** Calls a sign-in route. */
export async function callAuth<T>(
  id: string,
  body?: object,
  query: Record<string, unknown> = {},
): Promise<T> {
  const { url, method } = place("/api/auth", auth[id], {});
  const response = await send(url + search(query), {
    method,
    body: method === "GET" ? undefined : (body ?? {}),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** The names of the placeholders of a path, such as `license_id` of `/licenses/{license_id}/ips`. */
type Placeholder<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** A value for each placeholder of a path. For a path that the types do not know, any values. */
type ParamsOf<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in Placeholder<Path>]: string };

/** A member `params`, required if the path has placeholders. */
export type WithParams<Path extends string> = string extends Path
  ? { readonly params?: Readonly<Record<string, string>> }
  : [Placeholder<Path>] extends [never]
    ? { readonly params?: never }
    : { readonly params: ParamsOf<Path> };

/** The argument with what a route is called with: it can be left out if nothing in it is required. */
export type Rest<Input extends object> =
  Record<never, never> extends Input ? [input?: Input] : [input: Input];

/** What any route is called with, for code that works with every one. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}
