import { z } from "zod";
import { id, locale, time } from "../manage/shapes.ts";
import { fieldCode } from "../problems/problems.ts";

/** Shapes that several routes share. They are in camelCase, like the library's. */

/** Long enough for anything sensible; the rules for new passwords are stricter. */
export const givenPassword = z.string().min(1).max(1_024).meta({ description: "The password as it is." });

/** Of a signed-in user, before the ways to sign in to the account change. */
export const passwordAgain = givenPassword.optional().meta({
  description:
    "Your password, or else `confirmation`. An account without a password can also use a session that is no older than ten minutes.",
});

/** The result of confirming with a passkey or a code. */
export const confirmation = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .meta({ description: "From `/api/auth/confirm`, in place of the password." });

/** Proof that the session is still in the hands of its owner: one of the two. */
export const proofAgain = { password: passwordAgain, confirmation };

export const newPassword = z
  .string()
  .meta({ description: "8 to 128 characters, not one that is often chosen, nor your name or address." });

export const token = z.string().min(1).max(200).meta({ description: "From the email." });

/** A page of this site to continue to; anything else would be an open redirect. */
export const target = z
  .string()
  .max(2_000)
  .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, fieldCode("not_a_page"))
  .meta({ description: "A page of this site, such as /account." });

export const signedInPerson = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    twoFactorEnabled: z.boolean().meta({ description: "As it was before this request." }),
    locale,
    image: z.string().nullable().meta({ description: "Always null: pictures are not kept." }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "SignedInPerson" });

export const openSession = z
  .object({
    id,
    userId: id,
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    createdAt: time,
    updatedAt: time,
    expiresAt: time,
  })
  .meta({ id: "OpenSession", description: "Without its secret, which is in the cookie alone." });

export const done = z.object({ status: z.literal(true) });

export const withPerson = z.object({ user: signedInPerson });

/** It grants no access: attempts with it are counted separately from others. */
export const marksDevice = "A mark that this browser is known to belong to the account, for 180 days.";

export const opensSession = `The session, for 14 days. ${marksDevice}`;
