import { z } from "zod";
import { ordinaryBody } from "../api/body-limit.ts";
import { secret } from "../api/secrets.ts";
import { time } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";
import { challenge, credentials, given } from "./passkey-shapes.ts";
import { authRoute } from "./route.ts";

const group = "Identity confirmation";

export const beginConfirmation = authRoute({
  id: "beginConfirmation",
  method: "POST",
  path: "/confirm/begin",
  summary: "Start confirming with a passkey",
  description:
    "Returns the options for `navigator.credentials.get`. The challenge works once, within five minutes, in this session.",
  group,
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
  group,
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
