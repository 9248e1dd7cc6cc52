import { z } from "zod";
import { secret } from "../api/secrets.ts";
import { authRoute } from "./route.ts";
import { done, proofAgain } from "./shapes.ts";

const group = "Second factor";

const body = z.strictObject(proofAgain);
const backupCodes = z
  .array(secret("A recovery code.", "Create new recovery codes."))
  .meta({ description: "Recovery codes, each valid once. They are not shown again." });

export const enableSecondFactor = authRoute({
  id: "enableSecondFactor",
  method: "POST",
  path: "/two-factor/enable",
  summary: "Start setting up your second factor",
  description: "Send the first code from the app to `/two-factor/verify-totp` to turn the second factor on.",
  group,
  needs: "session",
  problems: [
    "wrong_password",
    "invalid_confirmation",
    "recent_sign_in_required",
    "second_factor_on",
    "sign_in_busy",
  ],
  body,
  answer: z.object({
    method: z.literal("totp"),
    totpURI: secret("The otpauth:// URI for the app.", "Start setting up the second factor again."),
    backupCodes,
  }),
});

export const disableSecondFactor = authRoute({
  id: "disableSecondFactor",
  method: "POST",
  path: "/two-factor/disable",
  summary: "Turn off your second factor",
  group,
  needs: "session",
  problems: [
    "wrong_password",
    "invalid_confirmation",
    "recent_sign_in_required",
    "second_factor_off",
    "sign_in_busy",
  ],
  body,
  answer: done,
  cookies: "Replaces the session cookie.",
});

export const renewRecoveryCodes = authRoute({
  id: "renewRecoveryCodes",
  method: "POST",
  path: "/two-factor/generate-backup-codes",
  summary: "Create new recovery codes",
  description: "The old ones stop working.",
  group,
  needs: "session",
  problems: [
    "wrong_password",
    "invalid_confirmation",
    "recent_sign_in_required",
    "second_factor_off",
    "sign_in_busy",
  ],
  body,
  answer: z.object({ status: z.literal(true), backupCodes }),
});
