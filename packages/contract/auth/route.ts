import { z } from "zod";
import { type BodyLimit, smallBody } from "../api/body-limit.ts";
import type { ProblemCode } from "../problems/problems.ts";

export const authBase = "/api/auth";

/**
 * A sign-in route, as data. The server accepts only what is in the list, the reference is generated from it, and the
 * access matrix tests every route.
 */
export interface AuthRoute<Id extends string = string> {
  /** Unique, and the name in generated clients. */
  readonly id: Id;
  readonly method: "GET" | "POST";
  /** Below `/api/auth`. */
  readonly path: string;
  /** What it does, as one short sentence without a period. */
  readonly summary: string;
  readonly description?: string;
  readonly group: string;
  /** Who can call it. An access token counts as anonymous here: it acts for someone, but cannot change who they are. */
  readonly needs: "nobody" | "session";
  readonly query: z.ZodObject;
  /** Null if there is none. */
  readonly body: z.ZodType | null;
  /** How much of a body is read. */
  readonly bodyLimit: BodyLimit;
  /** The body of a 200; null if it only redirects. */
  readonly answer: z.ZodType | null;
  /** Where it redirects to, for a route that is opened as a page. */
  readonly redirect?: string;
  /** How it uses cookies, if it does. */
  readonly cookies?: string;
  /** The codes with which it refuses requests, without those of access, input and attempt limits. */
  readonly problems: readonly ProblemCode[];
}

const noQuery = z.object({});

/** A route with the common defaults filled in. */
export function authRoute<const Id extends string>(
  parts: Omit<AuthRoute<Id>, "query" | "body" | "bodyLimit" | "answer" | "problems"> &
    Partial<Pick<AuthRoute<Id>, "query" | "body" | "bodyLimit" | "answer" | "problems">>,
): AuthRoute<Id> {
  return { query: noQuery, body: null, bodyLimit: smallBody, answer: null, problems: [], ...parts };
}
