import { refusalChanges } from "@countersign/domain/analytics/refusals";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { id, time } from "../api/shapes.ts";

const bucket = z.object({ from: time, count: z.int() });

export const getLicenseTrend = route({
  id: "getLicenseTrend",
  method: "GET",
  path: "/organizations/{organization_id}/license-trend",
  summary: "Count created and expiring licenses",
  group: "Overview",
  access: member("licenses:view"),
  answer: z
    .object({
      created: z.array(bucket).meta({ description: "The last 30 days in UTC, ending with today." }),
      expiring: z.array(bucket).meta({
        description:
          "The next 12 weeks. The first starts now, the others at midnight UTC. Revoked licenses are not counted.",
      }),
    })
    .meta({ id: "LicenseTrend" }),
});

/** Of each kind only the first few are listed. */
export const maxAttentionOfKind = 5;
const maxAttention = 6 * maxAttentionOfKind;

const kind = <const Kind extends string>(name: Kind) => z.literal(name);
const ofProduct = { product_id: id, product_name: z.string() };

export const getAttention = route({
  id: "getAttention",
  method: "GET",
  path: "/organizations/{organization_id}/attention",
  summary: "List what needs attention now",
  description:
    "What a seller should look at, most urgent first: empty if there is nothing. Only what the caller's permissions show is listed.",
  group: "Overview",
  access: member(null),
  answer: z
    .object({
      data: z
        .array(
          z.discriminatedUnion("kind", [
            z
              .object({
                kind: kind("refusals"),
                from: time,
                to: time,
                change: z.enum(refusalChanges).meta({
                  description:
                    "`risen`: at least twice the usual share of validations is refused. `high`: at least a quarter is. Both from 20 refusals on.",
                }),
                validations: z.int().meta({ description: "In the last 24 hours, rounded to full hours." }),
                refused: z.int().meta({ description: "Those that were refused." }),
                usual_share: z.number().nullable().meta({
                  description:
                    "Which share was refused in the 7 days before, as a fraction. Null if there were fewer than 50 validations.",
                }),
                outcome: z.string().meta({ description: "The most frequent outcome of these refusals." }),
                outcome_count: z.int(),
              })
              .meta({ description: "Many validations are refused." }),
            z
              .object({
                kind: kind("quota"),
                ...ofProduct,
                used_today: z.int(),
                daily_limit: z.int(),
                resets_at: time.meta({ description: "The next midnight UTC." }),
              })
              .meta({ description: "A product has used at least 80 % of its requests of today." }),
            z
              .object({
                kind: kind("webhook"),
                webhook_id: id,
                description: z.string(),
                url: z.string(),
                state: z.enum(["failing", "disabled", "gone"]).meta({
                  description:
                    "`failing`: every attempt since `since` has failed. `disabled`: it was disabled for that. `gone`: it was disabled because it responded with 410.",
                }),
                since: time,
              })
              .meta({ description: "Events are not delivered." }),
            z
              .object({
                kind: kind("sharing"),
                from: time,
                to: time,
                licenses: z.int().meta({ description: "1,000 means 1,000 or more." }),
              })
              .meta({ description: "Licenses that may be shared, by their use in the last 7 days." }),
            z
              .object({
                kind: kind("transfers"),
                waiting: z.int().meta({ description: "100 means 100 or more." }),
              })
              .meta({ description: "License transfers wait for a decision." }),
            z
              .object({ kind: kind("unused_api_keys"), ...ofProduct, api_keys: z.int() })
              .meta({ description: "API keys of a product that have not been used for 30 days." }),
          ]),
        )
        .max(maxAttention),
    })
    .meta({ id: "Attention" }),
});
