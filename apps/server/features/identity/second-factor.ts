import { APIError, getSessionFromCtx } from "better-auth/api";
import { twoFactor } from "better-auth/plugins";
import { columns } from "./columns.ts";
import { callbackPath } from "./discord-provider.ts";
import type { HookContext } from "./hook-context.ts";

export const totpPath = "/two-factor/verify-totp";
export const recoveryPath = "/two-factor/verify-backup-code";

/** Longer than any code is valid. */
const rememberedMs = 5 * 60_000;

/**
 * Authenticator codes and recovery codes. The library asks for them only after a password; here they are also required
 * after Discord.
 */
export function secondFactor() {
  const plugin = twoFactor({
    issuer: "Countersign",
    allowPasswordless: true,
    // The library's lockout would lock the owner out whenever others try codes; attempts are counted before it is
    // called.
    accountLockout: { enabled: false },
    totpOptions: { digits: 6, period: 30 },
    backupCodeOptions: { amount: 10, length: 10, storeBackupCodes: "encrypted" },
    twoFactorCookieMaxAge: 600,
    schema: columns.twoFactor,
  });
  for (const hook of plugin.hooks.after) {
    const matches = hook.matcher;
    hook.matcher = (context) => matches(context) || context.path === callbackPath;
  }
  return plugin;
}

/**
 * Before a code is checked: counts the attempt for the person, whichever way it comes, and marks an authenticator code
 * as used. Only the first to mark it can use it, also if two requests arrive at the same time.
 */
export async function beforeSecondFactor(
  context: HookContext,
  countTry: (userId: string) => Promise<void>,
  clock: () => Promise<number>,
): Promise<void> {
  if (context.path !== totpPath && context.path !== recoveryPath) return;
  const userId = await whoseCode(context);
  if (userId === null) return;
  await countTry(userId);
  if (context.path !== totpPath) return;
  const isFirst = await context.context.internalAdapter.reserveVerificationValue({
    identifier: `totp-used:${userId}:${String(context.body.code)}`,
    value: "used",
    // The library uses this node's clock, and expired rows are pruned by the database's: the later one counts.
    expiresAt: new Date(Math.max(Date.now(), await clock()) + rememberedMs),
  });
  if (!isFirst) throw new APIError("UNAUTHORIZED", { code: "INVALID_CODE", message: "Invalid code" });
}

/** The signed-in user, or the one who has given the password and still has to give the second factor. */
async function whoseCode(context: HookContext): Promise<string | null> {
  const session = await getSessionFromCtx(context);
  if (session !== null) return session.user.id;
  const { createAuthCookie, secret, internalAdapter } = context.context;
  const pending = await context.getSignedCookie(createAuthCookie("two_factor").name, secret);
  if (typeof pending !== "string") return null;
  return (await internalAdapter.findVerificationValue(pending))?.value ?? null;
}
