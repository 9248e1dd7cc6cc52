import { z } from "zod";
import { fieldCode, fieldFault } from "../problems/problems.ts";
import { licenseRecord } from "../public-api.ts";
import { discordId } from "./customers.ts";
import { duration, email, endTime, id, name, note, time } from "./shapes.ts";

/** A license as its organization sees it: the public record, and the organization's own data. */
export const license = licenseRecord
  .extend({
    product_name: z.string(),
    revoked_reason: z.string().nullable(),
    custom_override: z.record(z.string(), z.json()).nullable(),
    metadata: z.record(z.string(), z.json()).nullable(),
    tags: z.array(z.string()),
    first_used_at: time.nullable().meta({ description: "When it first passed a validation." }),
    term_seconds: z
      .int()
      .nullable()
      .meta({ description: "A term that begins with the first use; until then expires_at is null." }),
  })
  .meta({ id: "ManagedLicense" });

/** A hundred years: for anything longer, use a lifetime license. */
const seconds = z.int().min(1).max(3_155_760_000);

const version = z.string().max(64);

const tag = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .regex(/^\P{Cc}*$/u, fieldCode("not_one_line"));

export const tags = z.array(tag).max(20);

/** Checked step by step, not by a schema, which would recurse into deep nesting. */
const jsonObject = z
  .unknown()
  .refine((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
    error: fieldCode("not_an_object"),
  })
  .meta({ type: "object", additionalProperties: true });

/** One of the two. */
export const durations = {
  extend_by: duration.optional().meta({
    description:
      "A duration such as P1Y or P6M, added by the calendar to the end of the license, or to now when that has passed. A term that has not begun becomes longer by 365 days for a year and 30 for a month.",
  }),
  extend_by_seconds: seconds.optional().meta({
    description: "The same in seconds.",
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
      "A date and time, or a date alone, which means the end of that day in the organization's time zone. Null for lifetime.",
  }),
  expires_in: duration.optional().meta({
    description:
      "Expires this long after now, by the calendar in the organization's time zone: a duration such as P1Y or P6M.",
  }),
  expires_in_seconds: seconds.optional().meta({ description: "Runs out this long after now." }),
  term_seconds: seconds
    .nullable()
    .optional()
    .meta({ description: "Runs out this long after its first use; does not run out before that." }),
  max_ips: z.int().min(1).max(1_000_000).optional().meta({
    description:
      "May be set below the number of registered IPs: none of them is removed, and no other gets a place.",
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
    .meta({ description: "Blank is the same as null: no notes." }),
  custom_override: jsonObject
    .nullable()
    .optional()
    .meta({ description: "Merged into the product's custom response (RFC 7396)." }),
  metadata: jsonObject
    .nullable()
    .optional()
    .meta({ description: "What you keep beside the license: a JSON object of at most 8 KiB." }),
  tags: tags.optional(),
};

export const newLicense = {
  license_key: z
    .string()
    .optional()
    .meta({ description: "A key of your own, of 1 to 64 printable characters. Made for you when left out." }),
  ...licenseFields,
};

export const reason = z.string().trim().min(1).max(500);

/** The filter of lists and bulk actions, as in a body; queries parse the same from text. */
export const licenseFilter = {
  q: z
    .string()
    .transform((text) => text.trim())
    .refine((text) => [...text].length >= 3, { params: fieldFault("too_short", { count: 3 }) })
    .refine((text) => text.length <= 100, { params: fieldFault("too_long", { count: 100 }) })
    .meta({
      description:
        "Words, in any order: each is part of the key, of the customer's email, name or Discord ID, of the notes or of a tag. Upper and lower case are the same, and hyphens can be left out.",
    }),
  status: z.enum(["active", "revoked", "expired"]),
  product_id: id,
  customer_id: id,
  tag: z.string().trim().min(1).max(50),
  expires_within_days: z
    .int()
    .min(0)
    .max(36_500)
    .meta({ description: "Not expired yet, and will be within this many days." }),
  never_used: z.boolean(),
  min_ips: z.int().min(1).max(1_000_000).meta({ description: "At least this many registered IPs." }),
  has_notes: z.boolean(),
};
