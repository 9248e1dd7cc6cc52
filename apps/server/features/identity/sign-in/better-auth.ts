import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { authBase } from "@countersign/contract/auth/route";
import { preferredLanguage } from "@countersign/domain/mail/languages";
import { newId } from "@countersign/store/new-id";
import { userById } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import type { Config } from "../../../base/config.ts";
import type { Log } from "../../../base/log.ts";
import { cookiePrefix } from "../../../http/session-cookie.ts";
import { type Email, type Recipient, recipientById, writeEmail } from "../../mail/email.ts";
import { platformSettings } from "../../settings/platform-settings.ts";
import { callbackPath, recoveryPath, totpPath } from "../discord.ts";
import { existingAccountEmail, resetEmail, verificationEmail } from "../emails.ts";
import { maxPasswordLength, minPasswordLength } from "../passwords/password-rules.ts";
import { hashPassword, verifyPassword } from "../passwords/passwords.ts";
import { discordAccountAdded, emailIsProven, ipHeader, type OpenedSession } from "./account-events.ts";
import { columns, hashingSessionTokens } from "./library-storage.ts";
import { beforeReset, passwordWasReset, storedIdentifier } from "./password-reset.ts";
import {
  beforeReturn,
  beforeSecondFactor,
  discord,
  passkeys,
  secondFactor,
  unverifiedDomain,
} from "./plugins.ts";

const hour = 3_600;
const day = 24 * hour;

interface AuthParts {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  readonly secret: string;
  /** Called for every session opened by signing in. */
  readonly signedIn: (session: OpenedSession) => Promise<void>;
  /** Throws if someone tried too many codes. */
  readonly countCode: (userId: string) => Promise<void>;
}

export type Auth = ReturnType<typeof openAuth>;

type Options<Name extends keyof BetterAuthOptions> = NonNullable<BetterAuthOptions[Name]>;

/** The sign-in library, on Countersign's own tables and rules. */
export function openAuth(parts: AuthParts) {
  const { store, config, log, secret, countCode } = parts;
  const { origin, protocol } = new URL(config.url);
  const isHttps = protocol === "https:";
  return betterAuth({
    appName: "Countersign",
    baseURL: origin,
    basePath: authBase,
    secret,
    // One schema for both databases: times as ISO text and flags as 0 and 1, which the library calls SQLite. It opens
    // no transactions: it would hash passwords inside them, while all other writers wait.
    database: (options) =>
      hashingSessionTokens(kyselyAdapter(store.direct, { type: "sqlite", transaction: false })(options)),
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    ...columns.core,
    user: { ...columns.core.user, additionalFields: { locale } },
    session: { ...columns.core.session, expiresIn: 14 * day, updateAge: day, freshAge: day },
    account: {
      ...columns.core.account,
      updateAccountOnSignIn: false,
      accountLinking: {
        enabled: true,
        disableImplicitLinking: true,
        trustedProviders: ["discord"],
        allowDifferentEmails: true,
      },
    },
    verification: {
      ...columns.core.verification,
      storeIdentifier: { hash: async (identifier) => storedIdentifier(identifier) },
    },
    emailAndPassword: passwords(parts),
    emailVerification: emailVerification(parts),
    plugins: [
      secondFactor(),
      passkeys(config.url),
      ...(config.discord === null
        ? []
        : [discord(config.discord, `${config.url}${authBase}/callback/discord`)]),
    ],
    hooks: {
      before: createAuthMiddleware(async (context) => {
        await beforeSecondFactor(context, countCode, () => store.clock());
        await beforeReset(context, store);
        await beforeReturn(context, store, `${config.url}/sign-in`);
      }),
    },
    databaseHooks: databaseHooks(parts),
    advanced: {
      cookiePrefix: cookiePrefix(config.url),
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isHttps, httpOnly: true, sameSite: "lax", path: "/" },
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [ipHeader], ipv6Subnet: 128 },
      database: { generateId: () => newId(), validateSchema: false },
    },
    onAPIError: { throw: true, errorURL: `${config.url}/sign-in` },
    logger: {
      level: "error",
      log: (_level, message) => log.debug("Message from the sign-in library.", { message }),
    },
  });
}

function passwords({ store, config }: AuthParts): Options<"emailAndPassword"> {
  return {
    enabled: true,
    requireEmailVerification: true,
    autoSignIn: false,
    minPasswordLength,
    // The library counts characters outside the BMP twice; the real rule is checked before.
    maxPasswordLength: 2 * maxPasswordLength,
    resetPasswordTokenExpiresIn: hour,
    revokeSessionsOnPasswordReset: true,
    password: {
      hash: hashPassword,
      verify: ({ hash, password }) => verifyPassword(password, hash),
    },
    sendResetPassword: ({ user, token }) =>
      send(store, user, (reader) => resetEmail(reader, `${config.url}/reset-password?token=${token}`)),
    onExistingUserSignUp: ({ user }) =>
      send(store, user, (reader) => existingAccountEmail(reader, `${config.url}/sign-in`)),
    onPasswordReset: ({ user }, request) => passwordWasReset(store, user, request?.headers),
  };
}

function emailVerification({ store, config }: AuthParts): Options<"emailVerification"> {
  return {
    expiresIn: hour,
    sendOnSignUp: true,
    sendOnSignIn: false,
    autoSignInAfterVerification: false,
    sendVerificationEmail: async ({ user, token }) => {
      if (user.emailVerified) return;
      const after = encodeURIComponent("/sign-in?verified=true");
      const url = `${config.url}${authBase}/verify-email?token=${token}&callbackURL=${after}`;
      await send(store, user, (reader) => verificationEmail(reader, url));
    },
  };
}

/** Writes an email to a user, in their language. */
async function send(store: Store, { id }: { id: string }, emailTo: (reader: Recipient) => Email) {
  const nowMs = await store.clock();
  await store.transaction(async (db) => {
    const reader = await recipientById(db, id);
    if (reader !== undefined) await writeEmail(db, emailTo(reader), nowMs);
  });
}

/** Who can get an account, and who a session. */
function databaseHooks({ store, config, signedIn }: AuthParts): Options<"databaseHooks"> {
  return {
    user: {
      create: {
        before: async (user, context) => {
          if (user.email.endsWith(`@${unverifiedDomain}`)) {
            throw new APIError("FORBIDDEN", {
              code: "email_not_verified",
              message: "Verify your email address with Discord first.",
            });
          }
          if (
            context?.path === callbackPath &&
            (await platformSettings(store.reads, config)).sign_up === "closed"
          )
            throw new APIError("FORBIDDEN", {
              code: "signup_disabled",
              message: "Only linked accounts can sign in with Discord.",
            });
          return {
            data: {
              ...user,
              emailVerified: user.emailVerified || emailIsProven.getStore() === true,
              locale: preferredLanguage(context?.headers?.get("accept-language")),
            },
          };
        },
      },
    },
    session: {
      create: {
        before: async (session) => {
          const user = await userById(store.reads, session.userId);
          if (user !== undefined && user.suspended_at === null) return;
          throw new APIError("FORBIDDEN", { code: "SUSPENDED", message: "This account is suspended." });
        },
        after: async (session, context) => {
          if (context === null || !(await opensForGood(store, session.userId, context))) return;
          const { userId, ipAddress, userAgent } = session;
          await signedIn({ userId, ip: ipAddress || null, userAgent: userAgent ?? "" });
        },
      },
    },
    account: {
      // Discord's tokens are of no use here, so they are not stored.
      create: {
        before: async (account) => ({ data: { ...account, ...noTokens } }),
        after: async (account, context) => {
          if (context?.path !== callbackPath) return;
          const { userId, accountId: discordId } = account;
          await discordAccountAdded(store, { userId, discordId }, context.headers);
        },
      },
      update: { before: async (account) => ({ data: { ...account, ...noTokens } }) },
    },
  };
}

/** Not a session that waits for a second factor, nor one that replaces another. */
async function opensForGood(
  store: Store,
  userId: string,
  context: { path?: string; context: { session?: unknown } },
) {
  const { path = "" } = context;
  if (path === totpPath || path === recoveryPath) return context.context.session === null;
  if (path === "/passkey/verify-authentication") return true;
  if (path !== "/sign-in/email" && path !== callbackPath) return false;
  return (await userById(store.reads, userId))?.two_factor_enabled === 0;
}

/** Not from the body: it is the browser's Accept-Language. */
const locale = { type: "string", required: false, input: false } as const;
const noTokens = { accessToken: null, refreshToken: null, idToken: null };
