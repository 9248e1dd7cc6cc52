import { plainLine } from "@countersign/domain/text/plain-line";
import { z } from "zod";
import { fieldCode, fieldFault } from "../problems/problems.ts";
import { licenseRecord } from "../public/public-api.ts";
import { discordId, duration, email, endTime, flagQuery, id, name, note, time } from "./shapes.ts";

/** A license as its organization sees it: the public record, and the organization's own data. */
export const license = licenseRecord
  .extend({
    product_name: z.string(),
    revoked_reason: z.string().nullable(),
    custom_override: z.record(z.string(), z.json()).nullable(),
    metadata: z.record(z.string(), z.json()).nullable(),
    tags: z.array(z.string()),
    first_used_at: time.nullable().meta({ description: "When the license first passed a validation." }),
    term_seconds: z
      .int()
      .nullable()
      .meta({ description: "The term, which starts with the first use. Until then, `expires_at` is null." }),
  })
  .meta({ id: "ManagedLicense" });

/** A hundred years: for anything longer, use a lifetime license. */
const seconds = z.int().min(1).max(3_155_760_000);

const version = z.string().max(64);

const tag = z.string().trim().min(1).max(50).regex(plainLine, fieldCode("not_one_line"));

export const tags = z.array(tag).max(20);

/** Not a recursive schema, which could be nested too deeply: the handler checks the depth. */
const jsonObject = z
  .unknown()
  .refine((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
    error: fieldCode("not_an_object"),
  })
  .meta({ type: "object", additionalProperties: true });

/** Only one of the two can be sent. */
export const durations = {
  extend_by: duration.optional().meta({
    description:
      "A duration such as P1Y or P6M, added to the expiry, or to the current time if the license has expired. A term that has not started becomes longer by 365 days for a year and 30 for a month.",
  }),
  extend_by_seconds: seconds.optional().meta({
    description: "The duration in seconds.",
  }),
};

/** What can be set when a license is created, and changed afterwards. */
export const licenseFields = {
  customer_email: email.nullable().optional(),
  customer_discord_id: discordId.nullable().optional(),
  customer_name: name.nullable().optional(),
  is_lifetime: z.boolean().optional(),
  expires_at: endTime.nullable().optional().meta({
    description:
      "A date and time, or a date, which means the end of that day in the organization's time zone. Null for lifetime.",
  }),
  expires_in: duration.optional().meta({
    description:
      "The time until the license expires: a duration such as P1Y or P6M, in calendar units of the organization's time zone.",
  }),
  expires_in_seconds: seconds
    .optional()
    .meta({ description: "The time until the license expires, in seconds." }),
  term_seconds: seconds.nullable().optional().meta({
    description:
      "The time from the first use until the license expires, in seconds. It does not expire before the first use.",
  }),
  max_ips: z.int().min(1).max(1_000_000).optional().meta({
    description:
      "Can be lower than the number of registered IP addresses: they stay registered, but no others are accepted.",
  }),
  ip_system_enabled: z.boolean().optional(),
  version_pin_mode: z.enum(["pinned", "range"]).nullable().optional(),
  version_pinned: version.nullable().optional(),
  version_range_min: version.nullable().optional().meta({ description: "Inclusive." }),
  version_range_max: version.nullable().optional().meta({ description: "Exclusive." }),
  notes: note
    .transform((text) => (text.trim() === "" ? null : text))
    .nullable()
    .optional()
    .meta({ description: "Blank text is stored as null." }),
  custom_override: jsonObject
    .nullable()
    .optional()
    .meta({ description: "Merged into the product's custom response (RFC 7396)." }),
  metadata: jsonObject
    .nullable()
    .optional()
    .meta({ description: "Your own data: a JSON object of at most 8 KiB." }),
  tags: tags.optional(),
};

export const newLicense = {
  license_key: z
    .string()
    .optional()
    .meta({ description: "1 to 64 printable characters. Generated if omitted." }),
  ...licenseFields,
};

export const reason = z.string().trim().min(1).max(500);

/** The filter of lists and bulk actions, as in a body. Queries parse the same values from text. */
export const licenseFilter = {
  q: z
    .string()
    .transform((text) => text.trim())
    .refine((text) => [...text].length >= 3, { params: fieldFault("too_short", { count: 3 }) })
    .refine((text) => text.length <= 100, { params: fieldFault("too_long", { count: 100 }) })
    .meta({
      description:
        "Words in any order. Each must occur in the key, the customer's email address, name or Discord ID, the notes or a tag. Case does not matter, and hyphens can be omitted.",
    }),
  status: z.enum(["active", "revoked", "expired"]),
  product_id: id,
  customer_id: id,
  tag: z.string().trim().min(1).max(50),
  expires_within_days: z.int().min(0).max(36_500).meta({
    description:
      "Only active licenses that will expire within this many days: none that are revoked or have expired.",
  }),
  never_used: z.boolean(),
  min_ips: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({ description: "Only licenses with at least this many registered IP addresses." }),
  has_notes: z.boolean(),
};

/** Most of the filter in a query, in which everything is text. */
export const furtherFilterQuery = {
  customer_id: licenseFilter.customer_id.optional(),
  tag: licenseFilter.tag.optional(),
  expires_within_days: z.coerce.number().pipe(licenseFilter.expires_within_days).optional(),
  never_used: flagQuery.optional(),
  min_ips: z.coerce.number().pipe(licenseFilter.min_ips).optional(),
  has_notes: flagQuery.optional(),
};
