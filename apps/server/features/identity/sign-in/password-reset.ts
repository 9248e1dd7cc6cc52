import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomBytes } from "node:crypto";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { newId } from "@countersign/store/new-id";
import { accessTokensOf, revokeTokensExcept } from "@countersign/store/queries/access-tokens/tokens";
import {
  accountsOf,
  addOneTimeToken,
  endOtherSessions,
  passkeysOf,
  removeOneTimeTokens,
  removePasskeysExcept,
  unlinkProvider,
} from "@countersign/store/queries/identity/sign-in";
import { updateUser, userById } from "@countersign/store/queries/identity/users";
import type { Database, Store } from "@countersign/store/store";
import { invalidField } from "../../../http/problem.ts";
import { audit } from "../../audit-log/record.ts";
import { recipientById, writeEmail } from "../../mail/email.ts";
import { discordProvider } from "../discord.ts";
import { passwordChangedEmail } from "../emails.ts";
import { passwordFault } from "../passwords/password-rules.ts";
import { auditContextOf } from "./account-events.ts";
import type { HookContext } from "./auth-call.ts";

/** More than anyone has of each. */
const maxShown = 200;

/** What to keep when a new password is set with a link from an email. */
interface KeptAccess {
  readonly passkeys: readonly string[];
  readonly accessTokens: readonly string[];
  readonly discord: boolean;
}

/** Set while the sign-in library sets the password. */
export const keptAccess = new AsyncLocalStorage<KeptAccess>();

const nothingKept: KeptAccess = { passkeys: [], accessTokens: [], discord: false };

/** As in the request body, which was checked against its schema. */
export function keptAccessOf(body: Readonly<Record<string, unknown>>): KeptAccess {
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  return {
    passkeys: list(body.keepPasskeys),
    accessTokens: list(body.keepAccessTokens),
    discord: body.keepDiscord === true,
  };
}

/** What else grants access to the account, for someone who is about to set a new password. */
export async function showOtherAccess(db: Database, userId: string) {
  const tokens = await accessTokensOf(db, { userId }, { afterId: null, limit: maxShown });
  const discord = (await accountsOf(db, userId)).find(({ provider_id: id }) => id === discordProvider);
  return {
    passkeys: (await passkeysOf(db, userId)).map(({ id, name, created_at: createdAt }) => ({
      id,
      name,
      createdAt,
    })),
    accessTokens: tokens.map((row) => ({
      id: row.id,
      name: row.name,
      prefix: row.shown_prefix,
      createdAt: isoTime(row.created_at),
      lastUsedAt: isoTime(row.last_used_at),
    })),
    discord: discord === undefined ? null : { discordId: discord.account_id },
  };
}

/**
 * Removes what an intruder may have left behind to come back with. The second factor stays: a reset proves access to
 * the inbox, which would otherwise be enough on its own.
 */
async function revokeOtherAccess(db: Database, userId: string, nowMs: number) {
  const kept = keptAccess.getStore() ?? nothingKept;
  await endOtherSessions(db, userId, null);
  return {
    passkeys_removed: await removePasskeysExcept(db, userId, kept.passkeys),
    access_tokens_revoked: await revokeTokensExcept(db, userId, kept.accessTokens, nowMs),
    discord_unlinked: !kept.discord && (await unlinkProvider(db, userId, discordProvider)),
  };
}

/** The link was emailed, so the address is verified. Other links sent to it stop working. */
export async function passwordWasReset(
  store: Store,
  { id, name }: { id: string; name: string },
  from: Headers | undefined,
): Promise<void> {
  const nowMs = await store.clock();
  await store.transaction(async (db) => {
    await updateUser(db, id, { email_verified: 1, devices_since: nowMs }, nowMs);
    await removeOneTimeTokens(db, id);
    const closed = await revokeOtherAccess(db, id, nowMs);
    const reader = await recipientById(db, id);
    if (reader !== undefined) await writeEmail(db, passwordChangedEmail(reader), nowMs);
    await audit(db, auditContextOf(from, nowMs), {
      action: "person.password_reset",
      subject: { kind: "person", id, name },
      after: closed,
    });
  });
}

/**
 * Only the token from the email identifies whose password is set: the new one is also checked against their name and
 * email address. An invalid token is left for the library to reject.
 */
export async function beforeReset(context: HookContext, store: Store): Promise<void> {
  if (context.path !== "/reset-password") return;
  const { token, newPassword } = context.body;
  const stored = await context.context.internalAdapter.findVerificationValue(resetIdentifier(String(token)));
  const user = stored === null ? undefined : await userById(store.reads, stored.value);
  if (user === undefined) return;
  const fault = await passwordFault(String(newPassword), user);
  if (fault !== null) throw invalidField("newPassword", fault);
}

/** How the sign-in library stores tokens: never the token itself. */
export function storedIdentifier(identifier: string): string {
  return createHash("sha256").update(identifier).digest("base64url");
}

/** How the sign-in library looks up a token from a link. */
export function resetIdentifier(token: string): string {
  return `reset-password:${token}`;
}

/** A single-use link for choosing a password. Earlier links stop working. */
export async function newPasswordLink(
  db: Database,
  serverUrl: string,
  { userId, isFirst, goodForMs }: { userId: string; isFirst: boolean; goodForMs: number },
  nowMs: number,
): Promise<{ url: string; expiresAtMs: number }> {
  const token = randomBytes(24).toString("base64url");
  const expiresAtMs = nowMs + goodForMs;
  await removeOneTimeTokens(db, userId);
  const identifier = storedIdentifier(resetIdentifier(token));
  await addOneTimeToken(db, { id: newId(), identifier, value: userId, expiresAtMs }, nowMs);
  return { url: `${serverUrl}/reset-password?token=${token}${isFirst ? "&first=true" : ""}`, expiresAtMs };
}
