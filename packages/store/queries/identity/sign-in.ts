import type { Database } from "../../store.ts";
import type { AccountRow } from "../../tables/sign-in.ts";
import { lockedUser } from "./users.ts";

/** The ways to sign in: passwords, external accounts, passkeys and sessions. */

const passwordProvider = "credential";

/** A user's password hash. Null if the user has none. */
export async function passwordHashOf(db: Database, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom("accounts")
    .select("password")
    .where("provider_id", "=", passwordProvider)
    .where("account_id", "=", userId)
    .executeTakeFirst();
  return row?.password ?? null;
}

export async function addPassword(
  db: Database,
  { id, userId, hash }: { readonly id: string; readonly userId: string; readonly hash: string },
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs).toISOString();
  const row: AccountRow = {
    id,
    user_id: userId,
    provider_id: passwordProvider,
    account_id: userId,
    password: hash,
    access_token: null,
    refresh_token: null,
    id_token: null,
    access_token_expires_at: null,
    refresh_token_expires_at: null,
    scope: null,
    created_at: now,
    updated_at: now,
  };
  await db.insertInto("accounts").values(row).execute();
}

export async function accountsOf(db: Database, userId: string) {
  return db
    .selectFrom("accounts")
    .select(["id", "provider_id", "account_id", "created_at"])
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
}

export async function passkeysOf(db: Database, userId: string) {
  return db
    .selectFrom("passkeys")
    .select(["id", "name", "created_at", "credential_id", "transports"])
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
}

/** A passkey of this user, by its credential ID. */
export async function passkeyById(db: Database, userId: string, credentialId: string) {
  return db
    .selectFrom("passkeys")
    .select(["id", "credential_id", "public_key", "counter"])
    .where("user_id", "=", userId)
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
}

export async function passkeyUsed(db: Database, id: string, counter: number): Promise<void> {
  await db.updateTable("passkeys").set({ counter }).where("id", "=", id).execute();
}

/** Removes a user's passkeys except these. Returns how many. */
export async function removePasskeysExcept(
  db: Database,
  userId: string,
  keptIds: readonly string[],
): Promise<number> {
  const removed = await db
    .deleteFrom("passkeys")
    .where("user_id", "=", userId)
    .$if(keptIds.length > 0, (query) => query.where("id", "not in", keptIds))
    .executeTakeFirst();
  return Number(removed.numDeletedRows);
}

/** Whether there was such an account. */
export async function unlinkProvider(db: Database, userId: string, provider: string): Promise<boolean> {
  const removed = await db
    .deleteFrom("accounts")
    .where("user_id", "=", userId)
    .where("provider_id", "=", provider)
    .executeTakeFirst();
  return removed.numDeletedRows > 0n;
}

/** When the owner of this session signed in; null if it has ended. */
export async function sessionOpenedAt(db: Database, sessionId: string): Promise<number | null> {
  const row = await db
    .selectFrom("sessions")
    .select("created_at")
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return row === undefined ? null : Date.parse(row.created_at);
}

/** Those that have not expired, a page at a time. */
export async function sessionsOf(
  db: Database,
  userId: string,
  page: { readonly afterId: string | null; readonly limit: number; readonly nowMs: number },
) {
  return db
    .selectFrom("sessions")
    .select(["id", "ip_address", "user_agent", "created_at", "updated_at", "expires_at"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", new Date(page.nowMs).toISOString())
    .$if(page.afterId !== null, (query) => query.where("id", ">", page.afterId ?? ""))
    .orderBy("id")
    .limit(page.limit)
    .execute();
}

/** Ends one session of this user. Returns whether there was one. */
export async function endSession(db: Database, userId: string, sessionId: string): Promise<boolean> {
  const ended = await db
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return ended.numDeletedRows > 0n;
}

/** Ends all of a user's sessions but one, and returns how many. */
export async function endOtherSessions(db: Database, userId: string, keptId: string | null): Promise<number> {
  const ended = await db
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .$if(keptId !== null, (query) => query.where("id", "<>", keptId ?? ""))
    .executeTakeFirst();
  return Number(ended.numDeletedRows);
}

/** A single-use value, stored under the hash of its token. A user has one of a kind. */
export interface OneTimeToken {
  readonly id: string;
  readonly identifier: string;
  readonly value: string;
  readonly expiresAtMs: number;
}

export async function addOneTimeToken(db: Database, item: OneTimeToken, nowMs: number): Promise<void> {
  const now = new Date(nowMs).toISOString();
  await db
    .insertInto("verifications")
    .values({
      id: item.id,
      identifier: item.identifier,
      value: item.value,
      expires_at: new Date(item.expiresAtMs).toISOString(),
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/** Removes it and returns its value; null if it does not exist, was used, or has expired. */
export async function consumeOneTimeToken(
  db: Database,
  identifier: string,
  nowMs: number,
): Promise<string | null> {
  const row = await db
    .deleteFrom("verifications")
    .where("identifier", "=", identifier)
    .returning(["value", "expires_at"])
    .executeTakeFirst();
  return row === undefined || Date.parse(row.expires_at) <= nowMs ? null : row.value;
}

/** Those with exactly this value. */
export async function removeOneTimeTokensByValue(db: Database, value: string): Promise<void> {
  await db.deleteFrom("verifications").where("value", "=", value).execute();
}

/** Invalidates everything that is pending for this user or waits for their second factor. */
export async function removeOneTimeTokens(db: Database, userId: string): Promise<void> {
  await db
    .deleteFrom("verifications")
    .where((is) => is.or([is("value", "=", userId), is("value", "like", `${userId} %`)]))
    .execute();
}

const devicesKept = 20;

/**
 * Records where a user signed in from. Returns whether that is new for a user who has signed in before: only then are
 * they notified.
 */
export async function rememberDevice(
  db: Database,
  userId: string,
  fingerprint: string,
  nowMs: number,
): Promise<{ readonly isUnexpected: boolean }> {
  // Two concurrent sign-ins are serialized here, so that only the first is new.
  await lockedUser(db, userId);
  const known = await db
    .selectFrom("known_devices")
    .select(["fingerprint", "last_used_at"])
    .where("user_id", "=", userId)
    .orderBy("last_used_at", "desc")
    .execute();
  await db
    .insertInto("known_devices")
    .values({ user_id: userId, fingerprint, last_used_at: nowMs })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "fingerprint"]).doUpdateSet({ last_used_at: nowMs }),
    )
    .execute();
  const tooMany = known.slice(devicesKept - 1).map((device) => device.fingerprint);
  if (tooMany.length > 0) {
    await db
      .deleteFrom("known_devices")
      .where("user_id", "=", userId)
      .where("fingerprint", "in", tooMany)
      .where("fingerprint", "<>", fingerprint)
      .execute();
  }
  return { isUnexpected: known.length > 0 && !known.some((device) => device.fingerprint === fingerprint) };
}
