import { z } from "zod";
import { id, locale, time } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";

/** Shapes that several routes share, in camelCase like those of the sign-in library. */

/** Long enough for anything sensible; the rules for new passwords are stricter. */
export const givenPassword = z.string().min(1).max(1_024).meta({ description: "The current password." });

/** Required from signed-in users before the sign-in methods of the account change. */
const passwordAgain = givenPassword.optional().meta({
  description:
    "Your password. Send this or `confirmation`. An account without a password can also use a session that is no older than ten minutes.",
});

/** The result of confirming with a passkey or a code. */
export const confirmation = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .meta({ description: "The confirmation from `/api/auth/confirm`, instead of the password." });

/** Proof of identity: one of the two. */
export const proofAgain = { password: passwordAgain, confirmation };

export const newPassword = z
  .string()
  .meta({ description: "8 to 128 characters. Not a common password, your name or your email address." });

export const token = z.string().min(1).max(200).meta({ description: "The token from the email." });

/** A page of this site to continue to; anything else would be an open redirect. */
export const target = z
  .string()
  .max(2_000)
  .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, fieldCode("not_a_page"))
  .meta({ description: "The page to continue to, such as /account." });

export const signedInPerson = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    twoFactorEnabled: z.boolean().meta({ description: "The value before this request." }),
    locale,
    image: z.string().nullable().meta({ description: "Always null: images are not stored." }),
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
  .meta({ id: "OpenSession", description: "A session without its secret, which is only in the cookie." });

export const done = z.object({ status: z.literal(true) });

export const withPerson = z.object({ user: signedInPerson });

/** It grants no access: attempts with it are counted separately from others. */
export const marksDevice = "Marks this browser as known to the account for 180 days.";

export const opensSession = `Sets the session cookie, valid for 14 days. ${marksDevice}`;

/** WebAuthn messages that several routes share. */

export const challenge = z
  .string()
  .meta({ description: "The challenge that the device signs, in base64url." });
export const credentials = z.array(
  z.object({ id: z.string(), type: z.literal("public-key"), transports: z.array(z.string()).optional() }),
);
const base64url = z
  .string()
  .min(1)
  .max(32_000)
  .regex(/^[\w-]+$/, fieldCode("not_base64url"));
/** WebAuthn allows 1,023 bytes. */
const credentialId = base64url.max(1_364);

/** What the browser's functions return. Only the members that are used are checked. */
const fromBrowser = <Response extends z.ZodRawShape>(response: Response) =>
  z.looseObject({
    id: credentialId,
    rawId: credentialId,
    type: z.literal("public-key"),
    response: z.looseObject({ clientDataJSON: base64url, ...response }),
    clientExtensionResults: z.looseObject({}).optional(),
  });

export const created = fromBrowser({
  attestationObject: base64url,
  transports: z.array(z.string().max(32)).max(10).optional(),
});
export const given = fromBrowser({
  authenticatorData: base64url,
  signature: base64url,
  userHandle: z.string().max(200).nullable().optional(),
});
