import { everyPermission, type Permission } from "@countersign/domain/members/permissions";
import type { LicenseReference } from "@countersign/store/queries/licenses/views";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { TransferRow } from "@countersign/store/tables/portal";
import type { ProductRow } from "@countersign/store/tables/products";

/** Who makes the request. */
export type Actor = PersonActor | TokenActor | CustomerActor;

/** A signed-in user, or their token, which can have fewer permissions. */
export interface PersonActor {
  readonly kind: "person";
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly isPlatformAdmin: boolean;
  /** How they authenticated: only a session can change how the person signs in. */
  readonly by: { readonly session: string } | { readonly token: string };
  /** The permissions a token is limited to; everything for a session. */
  readonly atMost: ReadonlySet<Permission>;
}

/** The session, or the token in its place. */
export function sessionOf({ by }: PersonActor): string {
  return "session" in by ? by.session : by.token;
}

/** A token that belongs to an organization and to no person. */
export interface TokenActor {
  readonly kind: "token";
  readonly tokenId: string;
  readonly name: string;
  readonly organizationId: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** A customer who is signed in to the portal. */
export interface CustomerActor {
  readonly kind: "customer";
  readonly personId: string;
  readonly sessionId: string;
  /** In lower case, proven by the person. */
  readonly emails: readonly string[];
  readonly discordIds: readonly string[];
}

/** An actor's access to one organization. */
export interface OrganizationAccess {
  readonly isOwner: boolean;
  readonly permissions: ReadonlySet<Permission>;
  /** For a platform admin who is no member and only looks: until when. */
  readonly impersonatedUntilMs?: number;
}

/** The scope of idempotency keys: a token never gets a response given to a more powerful one. */
export function actorId(actor: Actor): string {
  if (actor.kind === "customer") return actor.personId;
  if (actor.kind === "token") return actor.tokenId;
  return "token" in actor.by ? actor.by.token : actor.userId;
}

/** Null for outsiders, and for a member's token that names nothing they are allowed to do there. */
export function accessOf(
  actor: Actor,
  organization: { readonly id: string; readonly owner_id: string | null },
  rolePermissions: ReadonlySet<Permission> | null,
): OrganizationAccess | null {
  if (actor.kind === "customer") return null;
  if (actor.kind === "token") {
    return actor.organizationId === organization.id
      ? { isOwner: false, permissions: actor.permissions }
      : null;
  }
  if (organization.owner_id === actor.userId) {
    return { isOwner: true, permissions: both(everyPermission, actor.atMost) };
  }
  if (rolePermissions === null) return null;
  const permissions = both(rolePermissions, actor.atMost);
  const isNarrow = actor.atMost.size < everyPermission.size;
  return isNarrow && permissions.size === 0 ? null : { isOwner: false, permissions };
}

function both(a: ReadonlySet<Permission>, b: ReadonlySet<Permission>): ReadonlySet<Permission> {
  return new Set([...a].filter((permission) => b.has(permission)));
}

/** The resource in the path, if the actor can know about it. */
export interface Subject {
  readonly organization: OrganizationRow | null;
  readonly organizationAccess: OrganizationAccess | null;
  readonly product: ProductRow | null;
  readonly license: LicenseReference | null;
  readonly transfer: TransferRow | null;
  /** In the portal: the caller as a customer of the organization. */
  readonly customer: CustomerReference | null;
}

/** A customer as their organization knows them. */
export interface CustomerReference {
  readonly id: string;
  readonly name: string;
}

export const noSubject: Subject = {
  organization: null,
  organizationAccess: null,
  product: null,
  license: null,
  transfer: null,
  customer: null,
};
