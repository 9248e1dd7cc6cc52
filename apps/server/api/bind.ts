import type { Access, PathParams, Route } from "@countersign/contract/api/route";
import type { z } from "zod";
import type { ContextOf } from "./context.ts";

export interface Input<Params, Q, B> {
  readonly params: Params;
  readonly query: Q;
  readonly body: B;
}

/** A route with its handler. */
export interface BoundRoute {
  readonly route: Route;
  /** Takes the context and input of this route. Its caller has authorized the request and parsed the input. */
  readonly handle: (context: never, input: never) => Promise<unknown>;
}

/**
 * The handler gets what its route guarantees: the names in its path, and what was found while its caller was authorized.
 * The response is what the contract declares, or a `Response` if the route streams.
 */
export function bind<
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends z.ZodType,
  Path extends string,
  Who extends Access,
>(
  route: Route<Q, B, A, Path, Who>,
  handle: (
    context: ContextOf<Path, Who>,
    input: Input<PathParams<Path>, z.output<Q>, z.output<B>>,
  ) => Promise<Answer<z.input<A>>>,
): BoundRoute {
  return { route, handle };
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer returns nothing.
type Answer<A> = A | Response | (A extends undefined ? void : never);
