import { passkey } from "@better-auth/passkey";
import { APIError } from "better-auth/api";
import { columns } from "./columns.ts";

/** A passkey stands for both factors, so the device must have made sure who holds it. */
export function passkeys(url: string) {
  const { hostname, origin } = new URL(url);
  return passkey({
    rpName: "Countersign",
    rpID: hostname,
    origin,
    advanced: { webAuthnChallengeCookie: "passkey" },
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    registration: {
      afterVerification: ({ verification }) => {
        mustBeVerified(verification.registrationInfo?.userVerified === true);
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
