import { AsyncLocalStorage } from "node:async_hooks";
import { passkey } from "@better-auth/passkey";
import type { Store } from "@countersign/store/store";
import { APIError, getSessionFromCtx } from "better-auth/api";
import { genericOAuth, twoFactor } from "better-auth/plugins";
import type { DiscordSettings } from "../../../base/services.ts";
import {
  authorizeUrl,
  callbackPath,
  discordAccessToken,
  discordName,
  discordProfile,
  discordProvider,
  isFirstReturn,
  recoveryPath,
  tokenUrl,
  totpPath,
} from "../discord.ts";
import type { HookContext } from "./auth-call.ts";
import { columns } from "./library-storage.ts";

/** Longer than any code is valid. */
const reservedMs = 5 * 60_000;

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
    expiresAt: new Date(Math.max(Date.now(), await clock()) + reservedMs),
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

/** Set while a passkey is added: whether the device's response was accepted. */
const adding = new AsyncLocalStorage<{ isAccepted: boolean }>();

/**
 * The library responds 500 whenever adding a passkey fails. Until the device's response is accepted, only that response
 * can be at fault, which is a client error; later failures are the server's.
 */
export async function addingPasskey(add: () => Promise<Response>): Promise<Response> {
  const progress = { isAccepted: false };
  const response = await adding.run(progress, add);
  if (response.status < 500 || progress.isAccepted) return response;
  return Response.json({ code: "PASSKEY_NOT_ACCEPTED" }, { status: 400 });
}

/** A passkey counts as both factors, so the device must have verified its user. */
export function passkeys(url: string) {
  const { hostname, origin } = new URL(url);
  return passkey({
    rpName: "Countersign",
    rpID: hostname,
    origin,
    advanced: { webAuthnChallengeCookie: "passkey" },
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    registration: {
      afterVerification: async ({ ctx, verification }) => {
        const progress = adding.getStore();
        if (progress !== undefined) progress.isAccepted = true;
        mustBeVerified(verification.registrationInfo?.userVerified === true);
        const where = [{ field: "credentialID", value: verification.registrationInfo?.credential.id ?? "" }];
        if ((await ctx.context.adapter.findOne({ model: "passkey", where })) !== null)
          throw new APIError("CONFLICT", {
            code: "PASSKEY_ALREADY_ADDED",
            message: "This passkey was added before.",
          });
      },
    },
    authentication: {
      afterVerification: ({ verification }) => {
        mustBeVerified(verification.authenticationInfo.userVerified);
      },
    },
    schema: columns.passkey,
  });
}

function mustBeVerified(isVerified: boolean): void {
  if (isVerified) return;
  throw new APIError("BAD_REQUEST", {
    code: "NOT_VERIFIED_BY_DEVICE",
    message: "The passkey was used without a PIN, a fingerprint or a face. Use one that asks for it.",
  });
}

/**
 * Replaces an email address that Discord has not verified: it belongs to nobody, and nobody can sign up with it.
 */
export const unverifiedDomain = "unverified.invalid";

/**
 * Discord as a generic provider. A person is identified by their Discord ID; the email address is used only if Discord
 * verified it, only for a new account, and is never linked to an existing one.
 */
export function discord(settings: DiscordSettings, redirectURI: string) {
  const { clientId, clientSecret } = settings;
  return genericOAuth({
    config: [
      {
        providerId: discordProvider,
        clientId,
        clientSecret,
        authorizationUrl: authorizeUrl(settings),
        tokenUrl: tokenUrl(settings),
        redirectURI,
        scopes: ["identify", "email"],
        pkce: true,
        getToken: async ({ code, codeVerifier }) => ({
          accessToken: await discordAccessToken(settings, { code, codeVerifier, redirectURI }),
        }),
        getUserInfo: async ({ accessToken }) => {
          const person = await discordProfile(settings, accessToken ?? "");
          const email = person.verified === true ? person.email : null;
          return {
            id: person.id,
            name: discordName(person),
            email: email ?? `${person.id}@${unverifiedDomain}`,
            emailVerified: email !== null && email !== undefined,
          };
        },
      },
    ],
  });
}

/** Before the sign-in library handles a return: it finds a state and then deletes it, which two returns can do at once. */
export async function beforeReturn(context: HookContext, store: Store, signInPage: string): Promise<void> {
  if (context.path !== callbackPath) return;
  const state = String(context.query?.state);
  const { createAuthCookie, secret } = context.context;
  // The library refuses any other.
  if ((await context.getSignedCookie(createAuthCookie("state").name, secret)) !== state) return;
  if (await isFirstReturn(store, state, await store.clock())) return;
  throw new APIError("FOUND", undefined, { location: `${signInPage}?error=state_mismatch` });
}
