import type { me, session } from "@countersign/contract/manage/account";
import { accountsOf, passkeysOf } from "@countersign/store/queries/identity/sign-in";
import { userById } from "@countersign/store/queries/identity/users";
import type { Database } from "@countersign/store/store";
import type { SessionRow } from "@countersign/store/tables/sign-in";
import type { z } from "zod";
import { Problem } from "../../../http/problem.ts";
import { discordProvider } from "../discord.ts";

export async function showMe(db: Database, userId: string): Promise<z.input<typeof me>> {
  const user = await userById(db, userId);
  if (user === undefined) throw new Problem("user_not_found");
  const accounts = await accountsOf(db, userId);
  const discord = accounts.find((account) => account.provider_id === discordProvider);
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    email_verified: user.email_verified === 1,
    locale: user.locale,
    two_factor_enabled: user.two_factor_enabled === 1,
    is_platform_admin: user.is_platform_admin === 1,
    sign_in_methods: {
      password: accounts.some((account) => account.provider_id === "credential"),
      discord: discord === undefined ? null : { account_id: discord.id, discord_id: discord.account_id },
      passkeys: await passkeysOf(db, userId),
    },
    created_at: user.created_at,
    updated_at: user.updated_at,
  };
}

export function showSession(
  row: Omit<SessionRow, "token" | "user_id">,
  currentId: string | null,
): z.input<typeof session> {
  return {
    id: row.id,
    is_current: row.id === currentId,
    ip: row.ip_address || null,
    user_agent: row.user_agent || null,
    created_at: row.created_at,
    last_used_at: row.updated_at,
    expires_at: row.expires_at,
  };
}
