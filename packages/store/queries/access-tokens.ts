import type { Permission } from "@countersign/domain/members/permissions";
import type { Database } from "../store.ts";

export interface NewAccessTokenRow {
  readonly id: string;
  readonly hash: string;
  readonly shownPrefix: string;
  readonly name: string;
  /** Whose it is: a person's or an organization's, never both. */
  readonly userId: string | null;
  readonly organizationId: string | null;
  readonly permissions: readonly Permission[];
  readonly createdBy: string | null;
  readonly expiresAtMs: number | null;
}

export async function addAccessToken(db: Database, token: NewAccessTokenRow, nowMs: number): Promise<void> {
  await db
    .insertInto("access_tokens")
    .values({
      id: token.id,
      hash: token.hash,
      shown_prefix: token.shownPrefix,
      name: token.name,
      user_id: token.userId,
      organization_id: token.organizationId,
      permissions: JSON.stringify(token.permissions),
      created_by: token.createdBy,
      created_at: nowMs,
      expires_at: token.expiresAtMs,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
}
