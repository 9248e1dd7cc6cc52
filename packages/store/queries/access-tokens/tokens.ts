import type { Permission } from "@countersign/domain/members/permissions";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { AccessTokenRow } from "../../tables/organizations.ts";

export interface NewAccessTokenRow {
  readonly id: string;
  readonly hash: string;
  readonly shownPrefix: string;
  readonly name: string;
  /** Its owner: a user or an organization, never both. */
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

/** A user's or an organization's. */
export type TokenHolder = { readonly userId: string } | { readonly organizationId: string };

/** Those that are not revoked, oldest first. */
export async function accessTokensOf(
  db: Database,
  holder: TokenHolder,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<AccessTokenRow[]> {
  const [column, id] = holderColumn(holder);
  return db
    .selectFrom("access_tokens")
    .selectAll()
    .where(column, "=", id)
    .where("revoked_at", "is", null)
    .$if(page.afterId !== null, (query) => query.where("id", ">", page.afterId ?? ""))
    .orderBy("id")
    .limit(page.limit)
    .execute();
}

export async function countAccessTokens(db: Database, holder: TokenHolder): Promise<number> {
  const [column, id] = holderColumn(holder);
  const { count } = await db
    .selectFrom("access_tokens")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where(column, "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A token that is not revoked. */
export async function accessTokenById(db: Database, id: string): Promise<AccessTokenRow | undefined> {
  return db
    .selectFrom("access_tokens")
    .selectAll()
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
}

/** Returns what was revoked. Nothing if the owner has no such token any more. */
export async function revokeAccessToken(
  db: Database,
  holder: TokenHolder,
  tokenId: string,
  nowMs: number,
): Promise<AccessTokenRow | undefined> {
  const [column, id] = holderColumn(holder);
  return db
    .updateTable("access_tokens")
    .set({ revoked_at: nowMs })
    .where("id", "=", tokenId)
    .where(column, "=", id)
    .where("revoked_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}

/** Revokes all tokens of a user except these. Returns how many. */
export async function revokeTokensExcept(
  db: Database,
  userId: string,
  keptIds: readonly string[],
  nowMs: number,
): Promise<number> {
  const revoked = await db
    .updateTable("access_tokens")
    .set({ revoked_at: nowMs })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .$if(keptIds.length > 0, (query) => query.where("id", "not in", keptIds))
    .executeTakeFirst();
  return Number(revoked.numUpdatedRows);
}

function holderColumn(holder: TokenHolder): ["user_id" | "organization_id", string] {
  return "userId" in holder ? ["user_id", holder.userId] : ["organization_id", holder.organizationId];
}

export const tokenByHash = prepared((db, hash: string) =>
  db
    .selectFrom("access_tokens")
    .leftJoin("users", "users.id", "access_tokens.user_id")
    .select([
      "access_tokens.id",
      "access_tokens.name",
      "access_tokens.user_id",
      "access_tokens.organization_id",
      "access_tokens.permissions",
      "access_tokens.expires_at",
      "access_tokens.last_used_at",
      "users.name as user_name",
      "users.email as user_email",
      "users.is_platform_admin",
      "users.suspended_at as user_suspended_at",
    ])
    .where("access_tokens.hash", "=", hash)
    .where("access_tokens.revoked_at", "is", null),
).first;

export async function touchToken(db: Database, tokenId: string, nowMs: number): Promise<void> {
  await db.updateTable("access_tokens").set({ last_used_at: nowMs }).where("id", "=", tokenId).execute();
}
