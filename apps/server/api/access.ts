import type { ByToken, MemberAccess, Route } from "@countersign/contract/api/route";
import { hashAccessToken, isAccessToken } from "@countersign/domain/members/access-token";
import {
  everyPermission,
  isPermission,
  type Permission,
  viewPermissions,
} from "@countersign/domain/members/permissions";
import { parseBearer } from "@countersign/domain/products/api-key";
import { tokenByHash, touchToken } from "@countersign/store/queries/access-tokens/tokens";
import { activeImpersonation } from "@countersign/store/queries/impersonations/impersonations";
import { licenseReference } from "@countersign/store/queries/licenses/views";
import { memberPermissions } from "@countersign/store/queries/members/members";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { productById } from "@countersign/store/queries/products/products";
import { transferById } from "@countersign/store/queries/transfers/transfers";
import type { Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { Problem } from "../http/problem.ts";
import type { FloodLimits } from "../limits/flood-limits.ts";
import { type Actor, accessOf, type OrganizationAccess, type PersonActor, sessionOf } from "./actor.ts";
import { authorizeCustomer } from "./customer-access.ts";
import { checkImpersonated } from "./impersonated.ts";
import { noSubject, type Subject } from "./subject.ts";

/** Finds the owner of a session cookie, and opens sessions. */
export interface SignIn {
  personOf(request: Request): Promise<PersonActor | null>;
  /** The cookies of a new session, for someone whose password was checked or has just been set. */
  openSession(email: string, password: string, from: Request, ip: string | null): Promise<string[]>;
  readonly flood: FloodLimits;
}

const rememberUseAfterMs = 60_000;

/** The actor; null if anonymous. An invalid token is rejected, not treated as anonymous. */
export async function authenticate(
  request: Request,
  store: Store,
  signIn: SignIn,
  nowMs: number,
): Promise<Actor | null> {
  const authorization = request.headers.get("authorization");
  if (authorization === null) return signIn.personOf(request);
  const token = parseBearer(authorization);
  if (token === null || !isAccessToken(token)) throw wrongToken();
  const row = await tokenByHash(store.reads, hashAccessToken(token));
  if (row === undefined || (row.expires_at !== null && row.expires_at <= nowMs)) throw wrongToken();
  if (row.user_suspended_at !== null) throw wrongToken();
  if (row.last_used_at === null || row.last_used_at < nowMs - rememberUseAfterMs) {
    await store.transaction((db) => touchToken(db, row.id, nowMs));
  }
  const permissions = permissionSet(row.permissions);
  if (row.user_id === null || row.user_name === null || row.user_email === null) {
    if (row.organization_id === null) throw wrongToken();
    return {
      kind: "token",
      tokenId: row.id,
      name: row.name,
      organizationId: row.organization_id,
      permissions,
    };
  }
  return {
    kind: "person",
    userId: row.user_id,
    name: row.user_name,
    email: row.user_email,
    isPlatformAdmin: row.is_platform_admin === 1,
    by: { token: row.id },
    atMost: permissions,
  };
}

/** Authorizes the actor or throws. A caller outside the organization gets "not found". */
export async function authorize(
  route: Route,
  params: Readonly<Record<string, string>>,
  actor: Actor | null,
  store: Store,
  nowMs: number,
): Promise<Subject> {
  const { access } = route;
  if (access.who === "anyone") return noSubject;
  if (access.who === "customer") return authorizeCustomer(params, actor, store);
  if (actor === null) {
    throw new Problem("authentication_required", {}, { headers: { "www-authenticate": "Bearer" } });
  }
  switch (access.who) {
    case "person":
      checkPerson(access.byToken, actor);
      return noSubject;
    case "platform_admin":
      if (!isPlatformAdmin(actor)) throw new Problem("not_found");
      return noSubject;
    case "owner":
    case "member": {
      const subject = await findSubject(params, store);
      const organizationAccess = await accessIn(subject.organization, actor, store, nowMs);
      if (subject.organization === null || organizationAccess === null) throw new Problem("not_found");
      if (organizationAccess.impersonatedUntilMs !== undefined) checkImpersonated(route);
      if (access.who === "owner" && !organizationAccess.isOwner) throw new Problem("owner_required");
      if (access.who === "owner" && !holdsEverything(actor)) throw needsFullToken();
      if (access.who === "member") checkMay(access, organizationAccess);
      return { ...subject, organizationAccess, customer: null };
    }
  }
}

/**
 * A token can do what it names. No permission covers a person's account, so that takes a token with every permission.
 */
function checkPerson(byToken: ByToken, actor: Actor): void {
  if (actor.kind !== "person") throw new Problem("user_required");
  if ("session" in actor.by) return;
  switch (byToken) {
    case "never":
      throw new Problem("session_required");
    case "full":
      if (!holdsEverything(actor)) throw needsFullToken();
      return;
    case "any":
      return;
  }
}

function needsFullToken(): Problem {
  return new Problem("full_token_required");
}

function checkMay({ may, or }: MemberAccess, { permissions }: OrganizationAccess): void {
  if (may === null || permissions.has(may) || or.some((other) => permissions.has(other))) return;
  throw new Problem("permission_missing", { permission: [may, ...or].join(" or ") });
}

/** The message is the same as for another organization's resource, and the path already says what kind it is. */
async function findSubject(
  params: Readonly<Record<string, string>>,
  store: Store,
): Promise<Omit<Subject, "organizationAccess" | "customer">> {
  const {
    organization_id: organizationId,
    product_id: productId,
    license_id: licenseId,
    transfer_id: transferId,
  } = params;
  const db = store.reads;
  const transfer = transferId === undefined ? null : ((await transferById(db, transferId)) ?? null);
  if (transferId !== undefined && transfer === null) throw new Problem("not_found");
  const license = licenseId === undefined ? null : ((await licenseReference(db, licenseId)) ?? null);
  if (licenseId !== undefined && license === null) throw new Problem("not_found");
  const product = productId === undefined ? null : ((await productById(db, productId)) ?? null);
  if (productId !== undefined && product === null) throw new Problem("not_found");
  const id =
    organizationId ?? product?.organization_id ?? license?.organization_id ?? transfer?.organization_id;
  const organization = id === undefined ? null : ((await organizationById(db, id)) ?? null);
  const owners = [product?.organization_id, license?.organization_id, transfer?.organization_id];
  // A path with two resources is not found unless they belong together.
  if (owners.some((owner) => owner !== undefined && owner !== id)) throw new Problem("not_found");
  return { organization, product, license, transfer };
}

/** The actor's access to an organization; null if they have none. */
async function accessIn(
  organization: OrganizationRow | null,
  actor: Actor,
  store: Store,
  nowMs: number,
): Promise<OrganizationAccess | null> {
  if (organization === null) return null;
  if (actor.kind !== "person" || organization.owner_id === actor.userId) {
    return accessOf(actor, organization, null);
  }
  const role = await memberPermissions(store.reads, organization.id, actor.userId);
  if (role !== null) return accessOf(actor, organization, permissionSet(role));
  // Between the two reads a member may have become the owner, who is not a member.
  const again = await organizationById(store.reads, organization.id);
  if (again === undefined) return null;
  return accessOf(actor, again, null) ?? (await accessToLook(again, actor, store, nowMs));
}

/** The access of a platform admin who looks at an organization without being a member. */
async function accessToLook(
  { id, deleted_at: deletedAt }: OrganizationRow,
  actor: PersonActor,
  store: Store,
  nowMs: number,
): Promise<OrganizationAccess | null> {
  if (!isPlatformAdmin(actor) || deletedAt !== null) return null;
  const active = await activeImpersonation(store.reads, sessionOf(actor), actor.userId, id, nowMs);
  return active === undefined ? null : impersonatedAccess(active.expires_at);
}

export function impersonatedAccess(untilMs: number): OrganizationAccess {
  return { isOwner: false, permissions: viewPermissions, impersonatedUntilMs: untilMs };
}

export function permissionSet(json: string): ReadonlySet<Permission> {
  return new Set((JSON.parse(json) as string[]).filter(isPermission));
}

/** A token that lacks a permission does not count: its owner wanted it to do less. */
export function isPlatformAdmin(actor: Actor): actor is PersonActor {
  return actor.kind === "person" && actor.isPlatformAdmin && holdsEverything(actor);
}

function holdsEverything(actor: Actor): boolean {
  return actor.kind === "person" && actor.atMost.size === everyPermission.size;
}

function wrongToken(): Problem {
  return new Problem(
    "invalid_access_token",
    {},
    { headers: { "www-authenticate": 'Bearer error="invalid_token"' } },
  );
}
