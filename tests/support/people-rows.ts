import { addInvitation } from "@countersign/store/queries/invitations/invitations";
import { addRole } from "@countersign/store/queries/roles/roles";
import type { Database } from "@countersign/store/store";
import type { AccessTokenRow, InvitationRow, RoleRow, SessionRow } from "@countersign/store/tables";
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
  const id = newId();
  const nowMs = Date.now();
  const row: InvitationRow = {
    id,
    email: `${id}@example.com`,
    token_hash: `hash of ${id}`,
    invited_by: null,
    created_at: nowMs,
    expires_at: nowMs + 86_400_000,
    accepted_at: null,
    accepted_by: null,
    revoked_at: null,
    mailed_at: nowMs,
    ...columns,
  };
  await addInvitation(db, row);
  return row;
}

/** Of a user or an organization. Its hash is "hash of" its ID. */
export async function insertToken(
  db: Database,
  columns: Pick<AccessTokenRow, "user_id"> | Pick<AccessTokenRow, "organization_id">,
): Promise<string> {
  const id = newId();
  const row: AccessTokenRow = {
    id,
    hash: `hash of ${id}`,
    shown_prefix: "cst_123456",
    name: "CI",
    user_id: null,
    organization_id: null,
    permissions: "[]",
    created_by: null,
    created_at: 0,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    ...columns,
  };
  await db.insertInto("access_tokens").values(row).execute();
  return id;
}

export async function insertSession(
  db: Database,
  {
    user_id,
    expiresAtMs,
    openedAtMs = 0,
  }: Pick<SessionRow, "user_id"> & { expiresAtMs: number; openedAtMs?: number },
): Promise<string> {
  const id = newId();
  const openedAt = new Date(openedAtMs).toISOString();
  const row: SessionRow = {
    id,
    user_id,
    token: newId(),
    expires_at: new Date(expiresAtMs).toISOString(),
    ip_address: null,
    user_agent: null,
    created_at: openedAt,
    updated_at: openedAt,
  };
  await db.insertInto("sessions").values(row).execute();
  return id;
}
