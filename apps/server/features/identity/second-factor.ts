import { APIError, getSessionFromCtx } from "better-auth/api";
import { twoFactor } from "better-auth/plugins";
import { columns } from "./columns.ts";
import type { HookContext } from "./hook-context.ts";

/** The way back from Discord, as the library names it. */
export const callbackPath = "/callback/:id";
export const totpPath = "/two-factor/verify-totp";
export const recoveryPath = "/two-factor/verify-backup-code";

/** Longer than any code is good for. */
const rememberedMs = 5 * 60_000;

/** Codes from an app, and recovery codes. The library asks for them only after a password; here after Discord too. */
export function secondFactor() {
  const plugin = twoFactor({
    issuer: "Countersign",
    allowPasswordless: true,
    // Its lock would keep the owner out whenever others try codes; tries are counted before it is asked.
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
 * Before a code is looked at: counts the try against the person, whichever way it comes, and marks a code from the app
 * as used. Whoever marks it first may use it; that holds for two requests at the same moment as well.
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
    // The library looks at it by this node's clock, and expired rows are removed by the database's: the later one counts.
    expiresAt: new Date(Math.max(Date.now(), await clock()) + rememberedMs),
  });
  if (!isFirst) throw new APIError("UNAUTHORIZED", { code: "INVALID_CODE", message: "Invalid code" });
}

/** Whoever is signed in, or has given the password and is asked for the rest. */
async function whoseCode(context: HookContext): Promise<string | null> {
  const session = await getSessionFromCtx(context);
  if (session !== null) return session.user.id;
  const { createAuthCookie, secret, internalAdapter } = context.context;
  const pending = await context.getSignedCookie(createAuthCookie("two_factor").name, secret);
  if (typeof pending !== "string") return null;
  return (await internalAdapter.findVerificationValue(pending))?.value ?? null;
}
