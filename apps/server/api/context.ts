import type { Access, PathParams, Route } from "@countersign/contract/api/route";
import { isoTime } from "@countersign/domain/dates/iso-time";
import type { LicenseReference } from "@countersign/store/queries/licenses/views";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { TransferRow } from "@countersign/store/tables/portal";
import type { ProductRow } from "@countersign/store/tables/products";
import type { z } from "zod";
import type { Config } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../http/problem.ts";
import type { SignIn } from "./access.ts";
import type {
  Actor,
  CustomerActor,
  CustomerReference,
  OrganizationAccess,
  PersonActor,
  TokenActor,
} from "./actor.ts";

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
  /** Null if anonymous. */
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

/** What is known of a request by its route: each of these holds what was found while its caller was authorized. */

/** Someone is signed in, or there is a token. */
export interface AuthenticatedContext extends Context {
  readonly actor: Actor;
}

export interface UserOrTokenContext extends AuthenticatedContext {
  readonly actor: PersonActor | TokenActor;
}

export interface PersonContext extends UserOrTokenContext {
  readonly actor: PersonActor;
}

/** Of a member, a token, or a customer of the organization. */
export interface OrganizationContext extends AuthenticatedContext {
  readonly organization: OrganizationRow;
}

export interface ProductContext extends OrganizationContext {
  readonly product: ProductRow;
}

export interface LicenseContext extends OrganizationContext {
  readonly license: LicenseReference;
}

export interface TransferContext extends OrganizationContext {
  readonly transfer: TransferRow;
}

/** Of a member or a token of the organization, or of a platform admin who looks at it. */
export interface MemberContext extends OrganizationContext {
  readonly actor: PersonActor | TokenActor;
  readonly organizationAccess: OrganizationAccess;
}

/** No token is the owner of an organization. */
interface OwnerContext extends MemberContext {
  readonly actor: PersonActor;
}

/** In the portal. */
export interface CustomerContext extends AuthenticatedContext {
  readonly actor: CustomerActor;
}

export interface CustomerLicenseContext extends CustomerContext {
  readonly organization: OrganizationRow;
  readonly product: ProductRow;
  readonly license: LicenseReference;
  readonly customer: CustomerReference;
}

export interface CustomerTransferContext extends CustomerContext {
  readonly organization: OrganizationRow;
  readonly transfer: TransferRow;
  readonly customer: CustomerReference;
}

/** What `authorize` guarantees to the handler of a route. */
type ContextOf<Path extends string, Who extends Access> = OfAccess<Path, Who["who"]>;

type OfAccess<Path extends string, Who extends Access["who"]> = Who extends "member"
  ? MemberContext & OfPath<Path>
  : Who extends "owner"
    ? OwnerContext & OfPath<Path>
    : Who extends "person" | "platform_admin"
      ? PersonContext
      : Who extends "customer"
        ? OfCustomerPath<Path>
        : Context;

type OfPath<Path extends string> = (Path extends With<"product_id"> ? ProductContext : unknown) &
  (Path extends With<"license_id"> ? LicenseContext : unknown) &
  (Path extends With<"transfer_id"> ? TransferContext : unknown);

type OfCustomerPath<Path extends string> =
  Path extends With<"license_id">
    ? CustomerLicenseContext
    : Path extends With<"transfer_id">
      ? CustomerTransferContext
      : CustomerContext;

type With<Name extends string> = `${string}{${Name}}${string}`;

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
  const current = isoTime(updatedAtMs);
  throw new Problem("changed_meanwhile", { changed_at: current });
}

/** A later time than any before, even within a millisecond, because changes are identified by it. */
export function nextUpdatedAt(context: Context, updatedAtMs: number): number {
  return Math.max(context.nowMs, updatedAtMs + 1);
}

interface Input<Params, Q, B> {
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
