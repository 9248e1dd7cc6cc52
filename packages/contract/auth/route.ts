import { z } from "zod";
import { type BodyLimit, smallBody } from "../body-limit.ts";

export const authBase = "/api/auth";

/**
 * One address at which people sign in, or change how they do, as data. The server lets through what is in the list and
 * nothing else, the reference is written from it, and the access matrix tries every one.
 */
export interface AuthRoute<Id extends string = string> {
  /** Unique, and what generated clients call it. */
  readonly id: Id;
  readonly method: "GET" | "POST";
  /** Below `/api/auth`. */
  readonly path: string;
  /** What it does, as one short sentence without a full stop. */
  readonly summary: string;
  readonly description?: string;
  readonly group: string;
  /** Who may call it. An access token is nobody here: it acts for somebody, but does not change who they are. */
  readonly needs: "nobody" | "session";
  readonly query: z.ZodObject;
  /** Null where there is none. */
  readonly body: z.ZodType | null;
  /** How much of a body is read. */
  readonly bodyLimit: BodyLimit;
  /** The body of a 200; null where it only ever leads to another page. */
  readonly answer: z.ZodType | null;
  /** Where it leads, for an address that is opened as a page. */
  readonly redirect?: string;
  /** What it does with cookies, where it does. */
  readonly cookies?: string;
  /** The statuses of problems that only some addresses have. */
  readonly problems: readonly (401 | 403 | 404 | 409)[];
}

const noQuery = z.object({});

/** An address with what most leave out filled in. */
export function authRoute<const Id extends string>(
  parts: Omit<AuthRoute<Id>, "query" | "body" | "bodyLimit" | "answer" | "problems"> &
    Partial<Pick<AuthRoute<Id>, "query" | "body" | "bodyLimit" | "answer" | "problems">>,
): AuthRoute<Id> {
  return { query: noQuery, body: null, bodyLimit: smallBody, answer: null, problems: [], ...parts };
}
