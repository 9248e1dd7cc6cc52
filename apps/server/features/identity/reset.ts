import { AsyncLocalStorage } from "node:async_hooks";
import { accessTokensOf, revokeTokensExcept } from "@countersign/store/queries/access-tokens/tokens";
import {
  accountsOf,
  endOtherSessions,
  passkeysOf,
  removePasskeysExcept,
  unlinkProvider,
} from "@countersign/store/queries/identity/sign-in";
import type { Database } from "@countersign/store/store";
import { iso } from "../../api/page.ts";
import { discordProvider } from "./discord-provider.ts";

/** More than anyone has of each. */
const mostShown = 200;

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
  const tokens = await accessTokensOf(db, { userId }, { afterId: null, limit: mostShown });
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
      createdAt: iso(row.created_at),
      lastUsedAt: iso(row.last_used_at),
    })),
    discord: discord === undefined ? null : { discordId: discord.account_id },
  };
}

/**
 * Removes what an intruder may have left behind to come back with. The second factor stays: a reset proves access to
 * the inbox, which would otherwise be enough on its own.
 */
export async function revokeOtherAccess(db: Database, userId: string, nowMs: number) {
  const kept = keptAccess.getStore() ?? nothingKept;
  await endOtherSessions(db, userId, null);
  return {
    passkeys_removed: await removePasskeysExcept(db, userId, kept.passkeys),
    access_tokens_revoked: await revokeTokensExcept(db, userId, kept.accessTokens, nowMs),
    discord_unlinked: !kept.discord && (await unlinkProvider(db, userId, discordProvider)),
  };
}
