import { AsyncLocalStorage } from "node:async_hooks";
import { passkey } from "@better-auth/passkey";
import { APIError } from "better-auth/api";
import { columns } from "./columns.ts";

export const addPasskeyPath = "/passkey/verify-registration";

/** Set while a passkey is added: whether the device's response was accepted. */
const adding = new AsyncLocalStorage<{ isAccepted: boolean }>();

/**
 * The library responds 500 whenever adding a passkey fails. Until the device's response is accepted, only that response
 * can be at fault, which is a client error; later failures are the server's.
 */
export async function addingPasskey(add: () => Promise<Response>): Promise<Response> {
  const progress = { isAccepted: false };
  const response = await adding.run(progress, add);
  if (response.status < 500 || progress.isAccepted) return response;
  return Response.json({ code: "PASSKEY_NOT_ACCEPTED" }, { status: 400 });
}

/** A passkey counts as both factors, so the device must have verified its user. */
export function passkeys(url: string) {
  const { hostname, origin } = new URL(url);
  return passkey({
    rpName: "Countersign",
    rpID: hostname,
    origin,
    advanced: { webAuthnChallengeCookie: "passkey" },
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    registration: {
      afterVerification: async ({ ctx, verification }) => {
        const progress = adding.getStore();
        if (progress !== undefined) progress.isAccepted = true;
        mustBeVerified(verification.registrationInfo?.userVerified === true);
        const where = [{ field: "credentialID", value: verification.registrationInfo?.credential.id ?? "" }];
        if ((await ctx.context.adapter.findOne({ model: "passkey", where })) !== null)
          throw new APIError("CONFLICT", {
            code: "PASSKEY_ALREADY_ADDED",
            message: "This passkey was added before.",
          });
      },
    },
    authentication: {
      afterVerification: ({ verification }) => {
        mustBeVerified(verification.authenticationInfo.userVerified);
      },
    },
    schema: columns.passkey,
  });
}

function mustBeVerified(isVerified: boolean): void {
  if (isVerified) return;
  throw new APIError("BAD_REQUEST", {
    code: "NOT_VERIFIED_BY_DEVICE",
    message: "The passkey was used without a PIN, a fingerprint or a face. Use one that asks for it.",
  });
}
