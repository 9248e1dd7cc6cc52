import type { LicenseReference } from "@countersign/store/queries/manage/access";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationRow, ProductRow, TransferRow } from "@countersign/store/tables";
import type { Config } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../http/problem.ts";
import type { SignIn } from "./access.ts";
import type { Actor, CustomerActor, OrganizationAccess, PersonActor, TokenActor } from "./actor.ts";
import type { CustomerReference } from "./subject.ts";

/** What every handler of the management API gets besides its input. */
export interface Context {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  readonly signIn: SignIn;
  readonly nowMs: number;
  readonly requestId: string;
  /** The caller's IP address, as far as it is known. */
  readonly ip: string | null;
  readonly actor: Actor | null;
  /** The organization of the request, and the actor's access to it; null if there is none. */
  readonly organization: OrganizationRow | null;
  readonly organizationAccess: OrganizationAccess | null;
  /** The product or license in the path. */
  readonly product: ProductRow | null;
  readonly license: LicenseReference | null;
  readonly transfer: TransferRow | null;
  /** In the portal: the caller as a customer of the organization of the request. */
  readonly customer: CustomerReference | null;
  readonly request: Request;
  /** The raw body, for routes that read it themselves. It counts as part of the request when it is repeated. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** What the caller may have read before writing: `If-Match`. */
  readonly ifMatch: readonly string[] | null;
  /**
   * Runs `work` in a transaction. Its result is the handler's response: with an `Idempotency-Key` it is stored in the
   * same transaction, so that repeating the request returns the same response and changes nothing.
   */
  readonly transaction: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
  /**
   * One transaction of several, before the last. `work` returns the progress of the request, as JSON; with an
   * `Idempotency-Key` it is stored in the same transaction, so that repeating the request continues from there. Returns
   * it, or the progress of another attempt of the same request: then `work` was rolled back.
   */
  readonly step: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
  /**
   * Stores the response of a request that took several transactions, if it has an `Idempotency-Key`. Unlike with
   * `transaction`, the response is prepared before the transaction starts, so it can be large.
   */
  readonly keep: (answer: unknown) => Promise<void>;
  /**
   * The result of the last step, also of an earlier attempt; null before the first, or without an `Idempotency-Key`.
   */
  readonly progress: () => unknown;
  /** For responses that take minutes: rejects if the caller can no longer make this request. */
  readonly checkAccess: () => Promise<void>;
}

export function requireOrganization(context: Context): OrganizationRow {
  if (context.organization === null) throw new Error("This route has no organization.");
  return context.organization;
}

export function requireAccess(context: Context): OrganizationAccess {
  if (context.organizationAccess === null) throw new Error("This route has no organization.");
  return context.organizationAccess;
}

export function requireProduct(context: Context): ProductRow {
  if (context.product === null) throw new Error("This route has no product.");
  return context.product;
}

export function requireLicense(context: Context): LicenseReference {
  if (context.license === null) throw new Error("This route has no license.");
  return context.license;
}

export function requireActor(context: Context): Actor {
  if (context.actor === null) throw new Error("This route allows anonymous requests.");
  return context.actor;
}

/** For routes that no customer can call. */
export function requireUserOrToken(context: Context): PersonActor | TokenActor {
  const actor = requireActor(context);
  if (actor.kind === "customer") throw new Error("Customers cannot call this route.");
  return actor;
}

export function requirePerson(context: Context): PersonActor {
  const actor = requireActor(context);
  if (actor.kind === "person") return actor;
  throw new Problem("user_required");
}

export function requireTransfer(context: Context): TransferRow {
  if (context.transfer === null) throw new Error("This route has no transfer.");
  return context.transfer;
}

export function requireCustomer(context: Context): CustomerActor {
  const actor = requireActor(context);
  if (actor.kind === "customer") return actor;
  throw new Problem("sign_in_required");
}

/** Rejects a change based on an outdated read: by `If-Match`, or by an `updated_at` in the body. */
export function checkUnchanged(
  context: Context,
  updatedAtMs: number,
  guard: string | undefined,
  /** The latest `updated_at` that was shown without anyone having edited it. */
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
  throw new Problem("changed_meanwhile", { changed_at: current });
}

/** A later time than any before, even within a millisecond, because changes are identified by it. */
export function nextUpdatedAt(context: Context, updatedAtMs: number): number {
  return Math.max(context.nowMs, updatedAtMs + 1);
}
