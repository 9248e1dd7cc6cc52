import { z } from "zod";
import { fieldCode } from "../problems/problems.ts";

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
