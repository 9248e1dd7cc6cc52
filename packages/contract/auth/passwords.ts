import { z } from "zod";
import { email, id, name, time } from "../api/shapes.ts";
import { authRoute } from "./route.ts";
import { done, givenPassword, marksDevice, newPassword, target, token, withPerson } from "./shapes.ts";

const group = "Accounts and passwords";

export const signUp = authRoute({
  id: "signUp",
  method: "POST",
  path: "/sign-up/email",
  summary: "Create an account",
  description:
    "Requires open sign-up, or an invitation to this email address. If the email address already has an account, the response is the same, and only the email says so. No session starts.",
  group,
  needs: "nobody",
  problems: ["sign_up_closed", "invalid_invitation", "sign_in_busy"],
  body: z.strictObject({
    name,
    email,
    password: newPassword,
    invitationToken: z.string().max(200).optional().meta({
      description:
        "The token from the link of a pending invitation. The email address then counts as verified.",
    }),
  }),
  answer: done,
});

export const sendVerificationEmail = authRoute({
  id: "sendVerificationEmail",
  method: "POST",
  path: "/send-verification-email",
  summary: "Resend the verification email",
  description: "The response is the same whether or not an email is sent.",
  group,
  needs: "nobody",
  problems: ["email_mismatch", "email_already_verified"],
  body: z.strictObject({ email }),
  answer: done,
});

export const verifyEmail = authRoute({
  id: "verifyEmail",
  method: "GET",
  path: "/verify-email",
  summary: "Verify an email address",
  description: "The link in the email leads here. No session starts.",
  group,
  needs: "nobody",
  problems: ["invalid_link", "link_expired"],
  query: z.object({
    token: z.string().min(1).max(2_000).meta({ description: "The token from the email, valid for an hour." }),
    callbackURL: target.optional(),
  }),
  answer: z.object({ status: z.literal(true), user: z.null() }),
  redirect: "With `callbackURL`: redirects to that page, with `error` in its query if the link is invalid.",
});

export const requestPasswordReset = authRoute({
  id: "requestPasswordReset",
  method: "POST",
  path: "/request-password-reset",
  summary: "Request a password reset",
  description: "Sends an email if the email address has an account. The response is the same either way.",
  group,
  needs: "nobody",
  body: z.strictObject({ email }),
  answer: z.object({ status: z.literal(true), message: z.string() }),
});

const kept = (what: string) =>
  z
    .array(id)
    .max(200)
    .optional()
    .meta({ description: `The IDs of the ${what} to keep. None if omitted.` });

export const inspectPasswordReset = authRoute({
  id: "inspectPasswordReset",
  method: "POST",
  path: "/reset-password/inspect",
  summary: "List what a password reset would remove",
  description:
    "Requires the token from the email, which remains valid. Returns the other ways to access the account, which the reset removes unless they are kept.",
  group,
  needs: "nobody",
  problems: ["invalid_link"],
  body: z.strictObject({ token }),
  answer: z.object({
    passkeys: z.array(z.object({ id, name: z.string().nullable(), createdAt: time.nullable() })),
    accessTokens: z.array(
      z.object({
        id,
        name: z.string(),
        prefix: z.string(),
        createdAt: time,
        lastUsedAt: time.nullable().meta({ description: "Accurate to the minute." }),
      }),
    ),
    discord: z.object({ discordId: z.string() }).nullable(),
  }),
});

export const resetPassword = authRoute({
  id: "resetPassword",
  method: "POST",
  path: "/reset-password",
  summary: "Reset your password",
  description:
    "Requires the token from the email, which works once. Ends every session of the account and removes its passkeys, access tokens and Discord link unless they are kept: someone else may have added them. The second factor stays on.",
  group,
  needs: "nobody",
  problems: ["invalid_link", "sign_in_busy"],
  body: z.strictObject({
    token,
    newPassword,
    keepPasskeys: kept("passkeys"),
    keepAccessTokens: kept("access tokens"),
    keepDiscord: z
      .boolean()
      .optional()
      .meta({ description: "Whether to keep the Discord link. False by default." }),
  }),
  answer: done,
  cookies: marksDevice,
});

export const changePassword = authRoute({
  id: "changePassword",
  method: "POST",
  path: "/change-password",
  summary: "Change your password",
  description: "Ends all your other sessions.",
  group,
  needs: "session",
  problems: ["wrong_password", "no_password", "sign_in_busy"],
  body: z
    .strictObject({ currentPassword: givenPassword, newPassword })
    .transform((body) => ({ ...body, revokeOtherSessions: true })),
  answer: withPerson,
  cookies: `Replaces the session cookie. ${marksDevice}`,
});
