import { z } from "zod";
import { ordinaryBody } from "../api/body-limit.ts";
import { secret } from "../api/secrets.ts";
import { id, name, time } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";
import { authRoute } from "./route.ts";
import {
  challenge,
  created,
  credentials,
  done,
  given,
  openSession,
  opensSession,
  proofAgain,
  signedInPerson,
} from "./shapes.ts";

const group = "Passkeys";

const passkey = z
  .object({
    id,
    name: z.string().nullable(),
    userId: id,
    credentialID: z.string(),
    publicKey: z.string(),
    counter: z.int(),
    deviceType: z.enum(["singleDevice", "multiDevice"]),
    backedUp: z.boolean(),
    transports: z.string().nullable().meta({ description: "Separated by commas." }),
    aaguid: z
      .string()
      .nullable()
      .meta({ description: "Identifies the model of the device that created it." }),
    createdAt: time.nullable(),
  })
  .meta({ id: "Passkey" });

const cookieDescription = "Sets a cookie that ties the challenge to this browser.";

export const beginPasskey = authRoute({
  id: "beginPasskey",
  method: "POST",
  path: "/passkey/generate-register-options",
  summary: "Start adding a passkey",
  description:
    "Returns the options for `navigator.credentials.create`. Requires proof of identity, and a session that is no older than a day.",
  group,
  needs: "session",
  problems: ["wrong_password", "invalid_confirmation", "recent_sign_in_required", "sign_in_busy"],
  body: z.strictObject(proofAgain),
  answer: z
    .looseObject({
      challenge,
      rp: z.object({ id: z.string(), name: z.string() }),
      user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
      pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
      timeout: z.int(),
      excludeCredentials: credentials,
    })
    .meta({ id: "PasskeyCreation" }),
  cookies: cookieDescription,
});

export const addPasskey = authRoute({
  id: "addPasskey",
  method: "POST",
  path: "/passkey/verify-registration",
  summary: "Add a passkey",
  description:
    "Requires the result of `navigator.credentials.create`. The device must have verified its user.",
  group,
  needs: "session",
  problems: [
    "recent_sign_in_required",
    "challenge_expired",
    "passkey_already_added",
    "passkey_without_verification",
  ],
  bodyLimit: ordinaryBody,
  body: z.strictObject({ response: created, name: name.optional() }),
  answer: passkey,
});

export const listPasskeys = authRoute({
  id: "listPasskeys",
  method: "GET",
  path: "/passkey/list-user-passkeys",
  summary: "List your passkeys",
  group,
  needs: "session",
  answer: z.array(passkey),
});

export const renamePasskey = authRoute({
  id: "renamePasskey",
  method: "POST",
  path: "/passkey/update-passkey",
  summary: "Rename a passkey",
  group,
  needs: "session",
  problems: ["passkey_not_found"],
  body: z.strictObject({ id: z.string(), name }),
  answer: z.object({ passkey }),
});

export const removePasskey = authRoute({
  id: "removePasskey",
  method: "POST",
  path: "/passkey/delete-passkey",
  summary: "Remove a passkey",
  group,
  needs: "session",
  problems: [
    "wrong_password",
    "invalid_confirmation",
    "recent_sign_in_required",
    "sign_in_busy",
    "passkey_not_found",
  ],
  body: z.strictObject({ id: z.string(), ...proofAgain }),
  answer: done,
});

export const beginPasskeySignIn = authRoute({
  id: "beginPasskeySignIn",
  method: "GET",
  path: "/passkey/generate-authenticate-options",
  summary: "Start signing in with a passkey",
  description: "Returns the options for `navigator.credentials.get`.",
  group,
  needs: "nobody",
  answer: z
    .looseObject({
      challenge,
      rpId: z.string(),
      timeout: z.int(),
      userVerification: z.string(),
      allowCredentials: credentials
        .optional()
        .meta({ description: "The user's passkeys. Present only if a user is signed in." }),
    })
    .meta({ id: "PasskeyRequest" }),
  cookies: cookieDescription,
});

export const signInWithPasskey = authRoute({
  id: "signInWithPasskey",
  method: "POST",
  path: "/passkey/verify-authentication",
  summary: "Sign in with a passkey",
  description: "Requires the result of `navigator.credentials.get`. A passkey counts as both factors.",
  group,
  needs: "nobody",
  problems: [
    "passkey_rejected",
    "passkey_not_found",
    "challenge_expired",
    "passkey_without_verification",
    "account_suspended",
  ],
  bodyLimit: ordinaryBody,
  body: z.strictObject({ response: given }),
  answer: z.object({ session: openSession, user: signedInPerson }),
  cookies: opensSession,
});

const confirmationGroup = "Identity confirmation";

export const beginConfirmation = authRoute({
  id: "beginConfirmation",
  method: "POST",
  path: "/confirm/begin",
  summary: "Start confirming with a passkey",
  description:
    "Returns the options for `navigator.credentials.get`. The challenge works once, within five minutes, in this session.",
  group: confirmationGroup,
  needs: "session",
  body: z.strictObject({}),
  answer: z
    .object({
      challenge,
      rpId: z.string(),
      timeout: z.int(),
      userVerification: z.literal("required"),
      allowCredentials: credentials.meta({ description: "Your passkeys." }),
    })
    .meta({ id: "ConfirmationRequest" }),
});

export const confirm = authRoute({
  id: "confirm",
  method: "POST",
  path: "/confirm",
  summary: "Confirm your identity",
  description:
    "Uses a passkey or a code of your second factor instead of the password. The confirmation is valid for one request of this session that requires proof of identity.",
  group: confirmationGroup,
  needs: "session",
  problems: ["wrong_code", "wrong_recovery_code", "passkey_rejected", "second_factor_off"],
  bodyLimit: ordinaryBody,
  body: z
    .strictObject({
      response: given.optional().meta({ description: "The result of `navigator.credentials.get`." }),
      code: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .meta({ description: "The six digits from your app, or a recovery code. Each code works once." }),
    })
    .refine(({ response, code }) => (response === undefined) !== (code === undefined), {
      path: ["code"],
      error: fieldCode("code_or_response"),
    }),
  answer: z.object({
    confirmation: secret("Works once, within five minutes.", "Confirm again."),
    expiresAt: time,
  }),
});
