import { parseQueriedIp } from "@countersign/domain/ip/cidr";
import { ruleNames } from "@countersign/domain/validate/decide";
import { unrepeatableReasons } from "@countersign/domain/validate/explain-again";
import { explainReasons } from "@countersign/domain/validate/explain-reasons";
import { requestOutcomes, validateStatuses } from "@countersign/domain/validate/status";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { time } from "../api/shapes.ts";
import { fieldCode } from "../problems/problems.ts";

const group = "Requests";

const ip = z
  .string()
  .trim()
  .max(64)
  .refine((text) => parseQueriedIp(text) !== null, { error: fieldCode("not_an_ip") });

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

export const explainRequest = route({
  id: "explainRequest",
  method: "GET",
  path: "/organizations/{organization_id}/requests/{request_id}/explain",
  summary: "Explain what a logged request would get now",
  description:
    "Evaluates the rules of a logged request with everything as it is now: those of a validation, or those of a lookup, " +
    "which only finds the license. Nothing is counted, registered or logged. The log does not have everything: " +
    "`unrepeatable` says why a request cannot be evaluated as it was. Then `rules` are those that can be, and `outcome` " +
    "is null unless one of them decides it. A sandbox request always gets the same outcome.",
  group,
  access: member("requests:view"),
  answer: z
    .object({
      outcome: z
        .enum([...requestOutcomes, "invalid_api_key"])
        .nullable()
        .meta({ description: "Null if it depends on what the log does not have." }),
      accepted: z.boolean().nullable().meta({
        description: "Whether the outcome is `active` or `found`. Null if it is not known.",
      }),
      unrepeatable: z
        .enum(unrepeatableReasons)
        .nullable()
        .meta({
          description:
            "`sandbox`: a fixed license key, whose outcome never changes. `product_deleted`: the product no longer exists. " +
            "`summed_up`: the entry stands for many requests. `no_key_sent`: the body had no license key. " +
            "`license_deleted`: the license no longer exists. `key_not_stored`: no license had the key, and the log does not " +
            "store it. `not_looked_up`: the request was refused before its license was looked up. Null if everything is known.",
        }),
      rules: z.array(explainedRule).meta({ description: "Empty for sandbox requests." }),
    })
    .meta({ id: "RequestExplanation" }),
  problems: ["request_not_found"],
});
