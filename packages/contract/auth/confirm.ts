import { z } from "zod";
import { ordinaryBody } from "../body-limit.ts";
import { secret } from "../manage/secrets.ts";
import { time } from "../manage/shapes.ts";
import { fieldCode } from "../problems/problems.ts";
import { challenge, credentials, given } from "./passkey-shapes.ts";
import { authRoute } from "./route.ts";

const group = "Confirming that it is you";

export const beginConfirmation = authRoute({
  id: "beginConfirmation",
  method: "POST",
  path: "/confirm/begin",
  summary: "Begin to confirm with a passkey",
  description:
    "Answers with what `navigator.credentials.get` takes. The challenge works once, for five minutes, in this session.",
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
  summary: "Confirm that it is you",
  description:
    "With a passkey or a code of your second factor, in place of the password. The answer is good for one request that asks for a proof, in this session.",
  group,
  needs: "session",
  problems: ["wrong_code", "wrong_recovery_code", "passkey_rejected", "second_factor_off"],
  bodyLimit: ordinaryBody,
  body: z
    .strictObject({
      response: given.optional().meta({ description: "What `navigator.credentials.get` gave." }),
      code: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .meta({ description: "The six digits that your app shows, or a recovery code. Each works once." }),
    })
    .refine(({ response, code }) => (response === undefined) !== (code === undefined), {
      path: ["code"],
      error: fieldCode("code_or_response"),
    }),
  answer: z.object({
    confirmation: secret("Good once, for five minutes.", "Confirm again."),
    expiresAt: time,
  }),
});
