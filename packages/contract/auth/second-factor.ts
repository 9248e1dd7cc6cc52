import { z } from "zod";
import { secret } from "../manage/secrets.ts";
import { authRoute } from "./route.ts";
import { done, proofAgain } from "./shapes.ts";

const group = "Your second factor";

const body = z.strictObject(proofAgain);
const backupCodes = z
  .array(secret("A recovery code.", "Make new recovery codes."))
  .meta({ description: "Recovery codes, each good once. They are not shown again." });

export const enableSecondFactor = authRoute({
  id: "enableSecondFactor",
  method: "POST",
  path: "/two-factor/enable",
  summary: "Begin to turn your second factor on",
  description: "It is on once a first code from the app was given to `/two-factor/verify-totp`.",
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
    totpURI: secret("For the app, as otpauth://…", "Begin to turn the second factor on again."),
    backupCodes,
  }),
});

export const disableSecondFactor = authRoute({
  id: "disableSecondFactor",
  method: "POST",
  path: "/two-factor/disable",
  summary: "Turn your second factor off",
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
  cookies: "A new session in place of the one that asked.",
});

export const renewRecoveryCodes = authRoute({
  id: "renewRecoveryCodes",
  method: "POST",
  path: "/two-factor/generate-backup-codes",
  summary: "Make new recovery codes",
  description: "The old ones do not work any more.",
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
