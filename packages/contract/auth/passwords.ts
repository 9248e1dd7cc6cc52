import { z } from "zod";
import { email, id, name, time } from "../manage/shapes.ts";
import { authRoute } from "./route.ts";
import { done, givenPassword, marksDevice, newPassword, target, token, withPerson } from "./shapes.ts";

const group = "Accounts and passwords";

export const signUp = authRoute({
  id: "signUp",
  method: "POST",
  path: "/sign-up/email",
  summary: "Make an account",
  description:
    "Where sign-up is open, or with an invitation, for the email address that was invited. The answer is the same when the address has an account already: the email that follows says which. No session is opened.",
  group,
  needs: "nobody",
  problems: ["sign_up_closed", "invalid_invitation", "sign_in_busy"],
  body: z.strictObject({
    name,
    email,
    password: newPassword,
    invitationToken: z
      .string()
      .max(200)
      .optional()
      .meta({ description: "From the link of a pending invitation; the email address counts as verified." }),
  }),
  answer: done,
});

export const sendVerificationEmail = authRoute({
  id: "sendVerificationEmail",
  method: "POST",
  path: "/send-verification-email",
  summary: "Send the email that verifies an address again",
  description: "The answer is the same whether an email was sent.",
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
  description: "The link in the email leads here. It opens no session.",
  group,
  needs: "nobody",
  problems: ["invalid_link", "link_expired"],
  query: z.object({
    token: z.string().min(1).max(2_000).meta({ description: "From the email, good for an hour." }),
    callbackURL: target.optional(),
  }),
  answer: z.object({ status: z.literal(true), user: z.null() }),
  redirect: "With `callbackURL`: to that page, with `error` in its query when the link is not good.",
});

export const requestPasswordReset = authRoute({
  id: "requestPasswordReset",
  method: "POST",
  path: "/request-password-reset",
  summary: "Ask for a new password",
  description: "Sends an email, if the address has an account. The answer is the same either way.",
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
    .meta({ description: `The ids of ${what} to keep; none when it is left out.` });

export const inspectPasswordReset = authRoute({
  id: "inspectPasswordReset",
  method: "POST",
  path: "/reset-password/inspect",
  summary: "Show what a new password would remove",
  description:
    "With the token from the email, which it does not use up: what else opens the account, and is removed with the old password unless it is kept.",
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
        lastUsedAt: time.nullable().meta({ description: "To the minute." }),
      }),
    ),
    discord: z.object({ discordId: z.string() }).nullable(),
  }),
});

export const resetPassword = authRoute({
  id: "resetPassword",
  method: "POST",
  path: "/reset-password",
  summary: "Set a new password with the token from the email",
  description:
    "Once, within an hour. Ends every session of the account, and removes its passkeys, its access tokens and the link to Discord unless they are kept: somebody else may have added them. The second factor stays.",
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
      .meta({ description: "Whether Discord stays linked. False by default." }),
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
  cookies: `A new session in place of the one that asked. ${marksDevice}`,
});
