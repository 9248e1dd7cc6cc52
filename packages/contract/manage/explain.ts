import { parseAsked } from "@countersign/domain/ip/covering";
import { explainReasons } from "@countersign/domain/validate/explain-reasons";
import { ruleNames } from "@countersign/domain/validate/rules";
import { validateStatuses } from "@countersign/domain/validate/status";
import { z } from "zod";
import { fieldCode } from "../problems/problems.ts";
import { member, route } from "./route.ts";
import { time } from "./shapes.ts";

const group = "Requests";

const ip = z
  .string()
  .trim()
  .max(64)
  .refine((text) => parseAsked(text) !== null, { error: fieldCode("not_an_ip") });

const fact = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);

export const explainedRule = z
  .object({
    rule: z.enum(ruleNames).meta({ description: "The status of a response that this rule refuses." }),
    passed: z.boolean().nullable().meta({
      description: "Null if the rule does not apply, or cannot be evaluated without an IP address.",
    }),
    reason: z
      .enum(explainReasons)
      .meta({ description: "Why, for programs. Codes do not change; new ones may be added." }),
    facts: z
      .record(z.string(), fact)
      .meta({ description: "What the rule looked at, by name. Times are in ISO 8601." }),
    message: z.string().meta({ description: "The reason and the facts as one sentence in English." }),
  })
  .meta({ id: "ExplainedRule" });

export const explainLicense = route({
  id: "explainLicense",
  changesNothing: true,
  method: "POST",
  path: "/licenses/{license_id}/explain",
  summary: "Explain what a validation would return",
  description:
    "Evaluates every rule for a hypothetical request with this license, in order of precedence, with the same code as a " +
    "validation. The status is that of the first rule that refuses. Nothing is counted, registered or logged. Except for " +
    "`at`, everything is as it is now. Without `ip`, rules about the IP address are not evaluated and refuse nothing. " +
    "The registered IP addresses and the note of a block are shown with the permission `licenses:view`.",
  group,
  access: member("requests:view"),
  status: 200,
  body: z.strictObject({
    ip: ip.optional().meta({
      description: "The IP address of the request, or an IPv6 /64 network, as the request log shows it.",
    }),
    version: z.string().max(1_000).optional().meta({ description: "The version that the request sends." }),
    at: time.optional().meta({ description: "The time of the request; now by default." }),
  }),
  answer: z
    .object({
      status: z.enum(validateStatuses),
      valid: z.boolean(),
      rules: z.array(explainedRule),
    })
    .meta({ id: "Explanation" }),
  problems: ["license_not_found"],
});
