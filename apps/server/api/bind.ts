import type { Route } from "@countersign/contract/api/route";
import type { z } from "zod";
import type { Context } from "./context.ts";

export interface Input<Q, B> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
}

/** A route with its handler. */
export interface BoundRoute {
  readonly route: Route;
  readonly handle: (context: Context, input: Input<never, never>) => Promise<unknown>;
}

/** The response is what the contract declares, or a `Response` if the route streams. */
export function bind<Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  route: Route<Q, B, A>,
  handle: (context: Context, input: Input<z.output<Q>, z.output<B>>) => Promise<Answer<z.input<A>>>,
): BoundRoute {
  return { route, handle: handle as BoundRoute["handle"] };
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer returns nothing.
type Answer<A> = A | Response | (A extends undefined ? void : never);

/** A path parameter, which the route is known to have. */
export function param(input: Input<unknown, unknown>, name: string): string {
  const value = input.params[name];
  if (value === undefined) throw new Error(`The path has no ${name}.`);
  return value;
}
