import { z } from "zod";
import { ordinaryBody } from "../body-limit.ts";
import { id, name, time } from "../manage/shapes.ts";
import { authRoute } from "./route.ts";
import { done, openSession, opensSession, passwordAgain, signedInPerson } from "./shapes.ts";

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
    aaguid: z.string().nullable().meta({ description: "Which kind of device made it." }),
    createdAt: time.nullable(),
  })
  .meta({ id: "Passkey" });

const challenge = z.string().meta({ description: "What the device signs, in base64url." });
const credentials = z.array(
  z.object({ id: z.string(), type: z.literal("public-key"), transports: z.array(z.string()).optional() }),
);
const base64url = z
  .string()
  .min(1)
  .max(32_000)
  .regex(/^[\w-]+$/, "should be base64url");
/** At most 1,023 bytes, by WebAuthn. */
const credentialId = base64url.max(1_364);

/** What the browser's functions give, as far as it is looked at. What else is in it is the browser's to define. */
const fromBrowser = <Response extends z.ZodRawShape>(response: Response) =>
  z.looseObject({
    id: credentialId,
    rawId: credentialId,
    type: z.literal("public-key"),
    response: z.looseObject({ clientDataJSON: base64url, ...response }),
    clientExtensionResults: z.looseObject({}).optional(),
  });

const created = fromBrowser({
  attestationObject: base64url,
  transports: z.array(z.string().max(32)).max(10).optional(),
});
const given = fromBrowser({
  authenticatorData: base64url,
  signature: base64url,
  userHandle: z.string().max(200).nullable().optional(),
});
const asked = "What shows, with the answer, that this browser asked.";

export const beginPasskey = authRoute({
  id: "beginPasskey",
  method: "POST",
  path: "/passkey/generate-register-options",
  summary: "Begin to add a passkey",
  description:
    "Answers with what `navigator.credentials.create` takes. Needs the password, and a session of the last day.",
  group,
  needs: "session",
  body: z.strictObject({ password: passwordAgain }),
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
  cookies: asked,
  problems: [401, 403],
});

export const addPasskey = authRoute({
  id: "addPasskey",
  method: "POST",
  path: "/passkey/verify-registration",
  summary: "Add the passkey",
  description: "With what `navigator.credentials.create` gave. The device must have asked who holds it.",
  group,
  needs: "session",
  bodyLimit: ordinaryBody,
  body: z.strictObject({ response: created, name: name.optional() }),
  answer: passkey,
  problems: [409],
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
  body: z.strictObject({ id: z.string(), name }),
  answer: z.object({ passkey }),
  problems: [404],
});

export const removePasskey = authRoute({
  id: "removePasskey",
  method: "POST",
  path: "/passkey/delete-passkey",
  summary: "Remove a passkey",
  group,
  needs: "session",
  body: z.strictObject({ id: z.string() }),
  answer: done,
  problems: [404],
});

export const beginPasskeySignIn = authRoute({
  id: "beginPasskeySignIn",
  method: "GET",
  path: "/passkey/generate-authenticate-options",
  summary: "Begin to sign in with a passkey",
  description: "Answers with what `navigator.credentials.get` takes.",
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
        .meta({ description: "Only for somebody signed in: their own passkeys." }),
    })
    .meta({ id: "PasskeyRequest" }),
  cookies: asked,
});

export const signInWithPasskey = authRoute({
  id: "signInWithPasskey",
  method: "POST",
  path: "/passkey/verify-authentication",
  summary: "Sign in with a passkey",
  description: "With what `navigator.credentials.get` gave. A passkey stands for both factors.",
  group,
  needs: "nobody",
  bodyLimit: ordinaryBody,
  body: z.strictObject({ response: given }),
  answer: z.object({ session: openSession, user: signedInPerson }),
  cookies: opensSession,
  problems: [401, 403, 404, 409],
});
