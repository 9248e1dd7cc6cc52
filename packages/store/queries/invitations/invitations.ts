import type { InvitationState } from "@countersign/domain/members/invitation";
import type { ExpressionBuilder } from "kysely";
import type { Database } from "../../store.ts";
import type { InvitationRow } from "../../tables/organizations.ts";
import type { Tables } from "../../tables.ts";

/** An invitation with its role and its author. */
export type InvitationWithRole = NonNullable<Awaited<ReturnType<typeof invitationOf>>>;

export async function invitationOf(db: Database, organizationId: string, id: string) {
  return invitationsWithRoles(db)
    .where("invitations.organization_id", "=", organizationId)
    .where("invitations.id", "=", id)
    .executeTakeFirst();
}

/** Newest first. */
export async function invitationsOf(
  db: Database,
  organizationId: string,
  page: {
    readonly beforeId: string | null;
    readonly limit: number;
    readonly state: InvitationState | null;
  },
  nowMs: number,
): Promise<InvitationWithRole[]> {
  const { beforeId, limit, state } = page;
  let query = invitationsWithRoles(db).where("invitations.organization_id", "=", organizationId);
  if (beforeId !== null) query = query.where("invitations.id", "<", beforeId);
  if (state !== null) query = query.where((is) => isIn(is, state, nowMs));
  return query.orderBy("invitations.id", "desc").limit(limit).execute();
}

/** Neither accepted nor withdrawn, though it may have expired: an email address has at most one per organization. */
export async function openInvitationTo(db: Database, organizationId: string, email: string) {
  return db
    .selectFrom("invitations")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("email", "=", email)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
}

/** The invitation of a link, whatever its state. */
export async function invitationByToken(db: Database, tokenHash: string) {
  return withToken(db, tokenHash).executeTakeFirst();
}

/** The invitation of a valid token; nothing if it is unknown, used, withdrawn or expired. */
export async function pendingInvitationByToken(db: Database, tokenHash: string, nowMs: number) {
  return withToken(db, tokenHash)
    .where((is) => isIn(is, "pending", nowMs))
    .executeTakeFirst();
}

function withToken(db: Database, tokenHash: string) {
  return invitationsWithRoles(db)
    .innerJoin("organizations", "organizations.id", "invitations.organization_id")
    .select("organizations.name as organization_name")
    .where("invitations.token_hash", "=", tokenHash)
    .where("organizations.deleted_at", "is", null);
}

/** Whether an email address is that of the owner or of a member. */
export async function isOwnerOrMember(db: Database, organizationId: string, email: string): Promise<boolean> {
  const person = await db
    .selectFrom("users")
    .leftJoin("members", (join) =>
      join.onRef("members.user_id", "=", "users.id").on("members.organization_id", "=", organizationId),
    )
    .leftJoin("organizations", (join) =>
      join.onRef("organizations.owner_id", "=", "users.id").on("organizations.id", "=", organizationId),
    )
    .select(["members.user_id", "organizations.id as owned_id"])
    .where("users.email", "=", email)
    .executeTakeFirst();
  return person !== undefined && (person.user_id !== null || person.owned_id !== null);
}

export async function addInvitation(db: Database, invitation: InvitationRow): Promise<void> {
  await db.insertInto("invitations").values(invitation).execute();
}

export async function updateInvitation(
  db: Database,
  id: string,
  changes: Partial<InvitationRow>,
): Promise<void> {
  await db.updateTable("invitations").set(changes).where("id", "=", id).execute();
}

function invitationsWithRoles(db: Database) {
  return db
    .selectFrom("invitations")
    .innerJoin("roles", "roles.id", "invitations.role_id")
    .leftJoin("users", "users.id", "invitations.invited_by")
    .selectAll("invitations")
    .select([
      "roles.name as role_name",
      "roles.permissions as role_permissions",
      "users.name as invited_by_name",
    ]);
}

/** `invitationState` of the domain, as a condition. */
function isIn(is: ExpressionBuilder<Tables, "invitations">, state: InvitationState, nowMs: number) {
  const open = [is("invitations.accepted_at", "is", null), is("invitations.revoked_at", "is", null)];
  switch (state) {
    case "accepted":
      return is("invitations.accepted_at", "is not", null);
    case "revoked":
      return is.and([
        is("invitations.accepted_at", "is", null),
        is("invitations.revoked_at", "is not", null),
      ]);
    case "expired":
      return is.and([...open, is("invitations.expires_at", "<=", nowMs)]);
    case "pending":
      return is.and([...open, is("invitations.expires_at", ">", nowMs)]);
  }
}
