import { z } from "zod";
import { email } from "../manage/shapes.ts";
import { authRoute } from "./route.ts";
import { givenPassword, marksDevice, openSession, opensSession, signedInPerson } from "./shapes.ts";

const group = "Signing in";

export const getSession = authRoute({
  id: "getSession",
  method: "GET",
  path: "/get-session",
  summary: "Who is signed in",
  description: "Null when nobody is. A session that is in use is prolonged once a day.",
  group,
  needs: "nobody",
  answer: z.object({ session: openSession, user: signedInPerson }).nullable(),
  cookies: "The session again, when it was prolonged.",
});

export const signIn = authRoute({
  id: "signIn",
  method: "POST",
  path: "/sign-in/email",
  summary: "Sign in with a password",
  description:
    "A wrong password and an address without an account get the same answer. Where the account has a second factor, no session is opened yet: `twoFactorRedirect` is true and the code goes to `/two-factor/verify-totp` within ten minutes.",
  group,
  needs: "nobody",
  problems: ["wrong_email_or_password", "email_not_verified", "account_suspended", "sign_in_busy"],
  body: z.strictObject({
    email,
    password: givenPassword,
    rememberMe: z
      .boolean()
      .optional()
      .meta({ description: "False for a cookie that ends with the browser, and a session of one day." }),
  }),
  answer: z.union([
    z.object({ redirect: z.literal(false), user: signedInPerson }),
    z.object({
      twoFactorRedirect: z.literal(true),
      twoFactorMethods: z.array(z.string()).meta({ description: "What may be asked for: totp." }),
    }),
  ]),
  cookies: `The session, for 14 days; or what stands for the password until the second factor is given. With a session: ${marksDevice[0]?.toLowerCase()}${marksDevice.slice(1)}`,
});

export const signOut = authRoute({
  id: "signOut",
  method: "POST",
  path: "/sign-out",
  summary: "Sign out",
  description: "Ends the session that asks. Without one, nothing happens.",
  group,
  needs: "nobody",
  body: z.strictObject({}),
  answer: z.object({ success: z.literal(true) }),
  cookies: "Removes the session.",
});

const code = z.string().trim().min(1).max(64);

export const verifyTotp = authRoute({
  id: "verifyTotp",
  method: "POST",
  path: "/two-factor/verify-totp",
  summary: "Give the code from the app",
  description:
    "After the password, or Discord: opens the session. For somebody signed in who has begun to turn the second factor on: turns it on. A code is good once.",
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
  summary: "Give a recovery code instead",
  description: "In place of the code from the app. Each is good once.",
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
