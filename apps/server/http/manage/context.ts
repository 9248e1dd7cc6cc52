import type { Database, Store } from "@countersign/store/store";
import type { LicenseRow, OrganizationRow, ProductRow } from "@countersign/store/tables";
import type { Config } from "../../config.ts";
import type { Log } from "../../log.ts";
import type { SignIn } from "./access.ts";
import type { Actor, PersonActor, Standing } from "./actor.ts";
import { Problem } from "./problem.ts";

/** What every handler of the management API is given besides its input. */
export interface Context {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  readonly signIn: SignIn;
  readonly nowMs: number;
  readonly requestId: string;
  /** The address of the caller, as far as it is known. */
  readonly ip: string | null;
  readonly actor: Actor | null;
  /** The organization that the request is about, and what the actor is to it; null where it is about none. */
  readonly organization: OrganizationRow | null;
  readonly standing: Standing | null;
  /** The product or license that the path names. */
  readonly product: ProductRow | null;
  readonly license: LicenseRow | null;
  readonly request: Request;
  /** The body as it comes, for routes that read it themselves. It counts as part of the request when it is repeated. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** What the caller may have read before it wrote: `If-Match`. */
  readonly ifMatch: readonly string[] | null;
  /**
   * Runs `work` in a transaction. What it returns is what the handler answers with: with an `Idempotency-Key` it is
   * kept in the same transaction, so that the same request again gets the same answer and changes nothing.
   */
  readonly transaction: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
  /**
   * One transaction of several, before the last. What `work` returns says how far the request is, as JSON; with an
   * `Idempotency-Key` it is kept in the same transaction, so that the same request again goes on from there. Returns
   * it, or how far another try of the same request is: then `work` was undone.
   */
  readonly step: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
  /**
   * Keeps the answer of a request that was done in several transactions, if it has an `Idempotency-Key`. Unlike with
   * `transaction`, the answer is made ready before anybody waits for it, so it may be large.
   */
  readonly keep: (answer: unknown) => Promise<void>;
  /** What the last step returned, also of an earlier try; null before the first, or without an `Idempotency-Key`. */
  readonly progress: () => unknown;
}

export function theOrganization(context: Context): OrganizationRow {
  if (context.organization === null) throw new Error("This route is about no organization.");
  return context.organization;
}

export function theStanding(context: Context): Standing {
  if (context.standing === null) throw new Error("This route is about no organization.");
  return context.standing;
}

export function theProduct(context: Context): ProductRow {
  if (context.product === null) throw new Error("This route is about no product.");
  return context.product;
}

export function theLicense(context: Context): LicenseRow {
  if (context.license === null) throw new Error("This route is about no license.");
  return context.license;
}

export function theActor(context: Context): Actor {
  if (context.actor === null) throw new Error("This route lets anyone in.");
  return context.actor;
}

export function thePerson(context: Context): PersonActor {
  const actor = theActor(context);
  if (actor.kind === "person") return actor;
  throw new Problem("forbidden", "This is for people. An organization's access token cannot do it.");
}

/** Refuses a change that was made from an older reading: by `If-Match`, or by an `updated_at` in the body. */
export function checkUnchanged(
  context: Context,
  updatedAtMs: number,
  guard: string | undefined,
  /** The latest `updated_at` that was shown since without anyone having edited it. */
  shownAtMs = updatedAtMs,
): void {
  const isCurrent = (seen: string) => {
    const seenMs = Date.parse(seen);
    return seenMs >= updatedAtMs && seenMs <= shownAtMs;
  };
  const isOld =
    (context.ifMatch !== null && !context.ifMatch.some(isCurrent)) ||
    (guard !== undefined && !isCurrent(guard));
  if (!isOld) return;
  const current = new Date(updatedAtMs).toISOString();
  throw new Problem(
    "changed_meanwhile",
    `It was changed at ${current}, after you read it. Read it again and repeat your change.`,
  );
}

/** A later time than any before, also within one millisecond: it is what changes are told apart by. */
export function nextUpdatedAt(context: Context, updatedAtMs: number): number {
  return Math.max(context.nowMs, updatedAtMs + 1);
}
