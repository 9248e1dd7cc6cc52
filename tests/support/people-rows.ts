import { addAccessToken, type TokenHolder } from "@countersign/store/queries/access-tokens/tokens";
import { addInvitation } from "@countersign/store/queries/invitations/invitations";
import { addRole } from "@countersign/store/queries/roles/roles";
import type { Database } from "@countersign/store/store";
import type { InvitationRow, RoleRow } from "@countersign/store/tables/organizations";
import type { SessionRow } from "@countersign/store/tables/sign-in";
import { newId } from "./test-organization.ts";

/** Rows of people and their access, for tests of queries. Each has plausible columns unless others are given. */

export async function insertRole(
  db: Database,
  columns: Pick<RoleRow, "organization_id"> & Partial<RoleRow>,
): Promise<string> {
  const id = newId();
  const row = { id, name: `Role ${id}`, permissions: "[]", created_at: 0, updated_at: 0, ...columns };
  await addRole(db, row);
  return row.id;
}

/** Pending for a day. */
export async function insertInvitation(
  db: Database,
  columns: Pick<InvitationRow, "organization_id" | "role_id"> & Partial<InvitationRow>,
): Promise<InvitationRow> {
  const [id, nowMs] = [newId(), Date.now()];
  const sent = { email: `${id}@example.com`, token_hash: `hash of ${id}`, invited_by: null };
  const times = { created_at: nowMs, mailed_at: nowMs, expires_at: nowMs + 86_400_000 };
  const open = { accepted_at: null, accepted_by: null, revoked_at: null };
  const row = { id, ...sent, ...times, ...open, ...columns };
  await addInvitation(db, row);
  return row;
}

/** With one permission. Its hash is "hash of" its ID. */
export async function insertToken(db: Database, holder: TokenHolder): Promise<string> {
  const id = newId();
  const token = { id, hash: `hash of ${id}`, shownPrefix: "cst_123456", name: "CI", createdBy: null };
  const allowed = { permissions: ["licenses:view"], expiresAtMs: null } as const;
  await addAccessToken(db, { ...token, ...allowed, userId: null, organizationId: null, ...holder }, 0);
  return id;
}

export async function insertSession(
  db: Database,
  times: Pick<SessionRow, "user_id"> & { expiresAtMs: number; openedAtMs?: number },
): Promise<string> {
  const id = newId();
  const openedAt = new Date(times.openedAtMs ?? 0).toISOString();
  const row = { id, user_id: times.user_id, token: newId(), ip_address: null, user_agent: null };
  const expires_at = new Date(times.expiresAtMs).toISOString();
  const session = { ...row, expires_at, created_at: openedAt, updated_at: openedAt };
  await db.insertInto("sessions").values(session).execute();
  return id;
}
