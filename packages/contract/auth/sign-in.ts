import { z } from "zod";
import { email } from "../api/shapes.ts";
import { authRoute } from "./route.ts";
import { givenPassword, marksDevice, openSession, opensSession, signedInPerson } from "./shapes.ts";

const group = "Signing in";

export const getSession = authRoute({
  id: "getSession",
  method: "GET",
  path: "/get-session",
  summary: "Get the current session",
  description: "Returns null if no user is signed in. A session that is in use is extended once a day.",
  group,
  needs: "nobody",
  answer: z.object({ session: openSession, user: signedInPerson }).nullable(),
  cookies: "Sets the session cookie again if the session was extended.",
});

export const signIn = authRoute({
  id: "signIn",
  method: "POST",
  path: "/sign-in/email",
  summary: "Sign in with a password",
  description:
    "A wrong password and an unknown email address get the same response. If the account has a second factor, no session starts yet: `twoFactorRedirect` is true. Send the code to `/two-factor/verify-totp` within ten minutes.",
  group,
  needs: "nobody",
  problems: ["wrong_email_or_password", "email_not_verified", "account_suspended", "sign_in_busy"],
  body: z.strictObject({
    email,
    password: givenPassword,
    rememberMe: z.boolean().optional().meta({
      description: "If false, the session lasts one day and the cookie is removed when the browser closes.",
    }),
  }),
  answer: z.union([
    z.object({ redirect: z.literal(false), user: signedInPerson }),
    z.object({
      twoFactorRedirect: z.literal(true),
      twoFactorMethods: z.array(z.string()).meta({ description: "The available methods: totp." }),
    }),
  ]),
  cookies: `Sets the session cookie, valid for 14 days, or a cookie that replaces the password until the second factor is verified. With a session: ${marksDevice[0]?.toLowerCase()}${marksDevice.slice(1)}`,
});

export const signOut = authRoute({
  id: "signOut",
  method: "POST",
  path: "/sign-out",
  summary: "Sign out",
  description: "Ends the current session, if there is one.",
  group,
  needs: "nobody",
  body: z.strictObject({}),
  answer: z.object({ success: z.literal(true) }),
  cookies: "Removes the session cookie.",
});

const code = z.string().trim().min(1).max(64);

export const verifyTotp = authRoute({
  id: "verifyTotp",
  method: "POST",
  path: "/two-factor/verify-totp",
  summary: "Verify a code from the app",
  description:
    "Starts the session after the password or Discord was accepted. For a signed-in user who is setting up the second factor, turns it on. Each code works once.",
  group,
  needs: "nobody",
  problems: [
    "wrong_code",
    "second_factor_expired",
    "too_many_wrong_codes",
    "second_factor_off",
    "account_suspended",
  ],
  body: z.strictObject({ code: code.meta({ description: "Six digits." }) }),
  answer: z.object({ user: signedInPerson }),
  cookies: opensSession,
});

export const verifyRecoveryCode = authRoute({
  id: "verifyRecoveryCode",
  method: "POST",
  path: "/two-factor/verify-backup-code",
  summary: "Verify a recovery code",
  description: "Replaces the code from the app. Each code works once.",
  group,
  needs: "nobody",
  problems: [
    "wrong_recovery_code",
    "second_factor_expired",
    "too_many_wrong_codes",
    "second_factor_off",
    "account_suspended",
  ],
  body: z.strictObject({ code }),
  answer: z.object({ user: signedInPerson }),
  cookies: opensSession,
});
