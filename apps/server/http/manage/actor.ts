import { everyPermission, type Permission } from "@countersign/domain/members/permissions";

/** Who is asking. */
export type Actor = PersonActor | TokenActor;

/** Somebody signed in, or a token of theirs, which may do less than they may. */
export interface PersonActor {
  readonly kind: "person";
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly isPlatformAdmin: boolean;
  /** How they came: only a session can change how the person signs in. */
  readonly by: { readonly session: string } | { readonly token: string };
  /** What a token was limited to; everything for a session. */
  readonly atMost: ReadonlySet<Permission>;
}

/** The session that they came with, or the token in its place. */
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

/** What an actor is to one organization. */
export interface Standing {
  readonly isOwner: boolean;
  readonly permissions: ReadonlySet<Permission>;
}

/** What idempotency keys are kept by: a token never gets the answer that a more powerful one was given. */
export function actorId(actor: Actor): string {
  if (actor.kind === "token") return actor.tokenId;
  return "token" in actor.by ? actor.by.token : actor.userId;
}

/** Null for those outside, and for a token of somebody inside when it names nothing that they may do there. */
export function standingOf(
  actor: Actor,
  organization: { readonly id: string; readonly owner_id: string | null },
  rolePermissions: ReadonlySet<Permission> | null,
): Standing | null {
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
