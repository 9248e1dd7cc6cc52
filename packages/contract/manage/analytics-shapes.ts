import { z } from "zod";
import { id, time, timeZone } from "../api/shapes.ts";

/** The most buckets of a response: a month of hours, or two years of days. */
export const maxBuckets = 800;

const analyticsIntervals = ["hour", "day", "week", "month"] as const;

export const rangeQuery = z.object({
  from: time.optional().meta({
    description:
      "The start of the range, rounded down to a full UTC hour. The default is the start of the day 29 days before `to`, in `time_zone`.",
  }),
  to: time.optional().meta({
    description:
      "The end of the range, which is not part of it, rounded up to a full UTC hour. The default, and the latest, is the end of the current hour.",
  }),
  product_id: id.optional().meta({ description: "Only this product. The default is all products." }),
  time_zone: timeZone.default("UTC"),
});

export const intervalQuery = z
  .enum(analyticsIntervals)
  .optional()
  .meta({
    description:
      "The length of a bucket. The default is hours up to 3 days, days up to 92 days, weeks up to a year, and months for more. " +
      `A response has at most ${maxBuckets} buckets.`,
  });

const outcomes = z.record(z.string(), z.int()).meta({
  description:
    "Requests by outcome. The outcome of a validation is its `status`, that of a lookup is `found` or `not_found`, and a request whose body was refused has `body_too_large` or `body_timeout`. Outcomes without requests are left out.",
});

/** What is counted in a range. */
const requestFigures = {
  requests: z.int().meta({
    description:
      "Validations and lookups with a valid API key. Each request refused with status 429 counts, sandbox requests do not.",
  }),
  validations: z.int().meta({ description: "Those that were validations." }),
  refused: z.int().meta({
    description: "Validations with an outcome other than `active`.",
  }),
  outcomes,
  validation_outcomes: z.record(z.string(), z.int()).meta({
    description: "The same for validations only: their sum is `validations`.",
  }),
  unique_licenses: z.int().meta({
    description:
      "Different licenses that were validated or looked up, whatever the outcome. Exact up to 256, then an estimate: see `unique_error`.",
  }),
  active_licenses: z.int().meta({
    description:
      "Different licenses with at least one validation with the outcome `active`. Exact up to 256, then an estimate.",
  }),
  unique_ips: z.int().meta({
    description: "Different IP addresses that sent requests. Exact up to 256, then an estimate.",
  }),
};

export const range = { from: time, to: time };

export const bucket = z
  .object({
    from: time.meta({
      description:
        "The first bucket starts with the range. In a time zone whose days do not start at a full UTC hour, a bucket starts at the next full UTC hour.",
    }),
    to: time,
    ...requestFigures,
  })
  .meta({ id: "AnalyticsBucket" });

export const figures = z.object({ ...range, ...requestFigures }).meta({ id: "AnalyticsFigures" });

export const versionUse = z
  .object({
    version: z.string().nullable().meta({
      description:
        "Null for requests without a version, and for versions beyond the 50 most used of an hour.",
    }),
    is_other: z.boolean().meta({ description: "Whether this sums up all versions that are not listed." }),
    validations: z.int(),
    previous_validations: z.int(),
    buckets: z.array(z.int()).meta({ description: "Validations in each of the buckets." }),
  })
  .meta({ id: "AnalyticsVersion" });

export const countryUse = z
  .object({
    country: z.string().nullable().meta({
      description: "ISO 3166-1 alpha-2, in upper case. Null if the file does not know the IP address.",
    }),
    requests: z.int(),
    previous_requests: z.int(),
  })
  .meta({ id: "AnalyticsCountry" });

export const quotaUse = z
  .object({
    product_id: id,
    product_name: z.string(),
    used_today: z
      .int()
      .meta({ description: "Requests since midnight UTC that count towards the daily limit." }),
    used_yesterday: z.int().meta({ description: "The same on the whole UTC day before." }),
    daily_limit: z.int().nullable().meta({ description: "Null for no limit." }),
    resets_at: time.meta({ description: "The next midnight UTC." }),
    runs_out_at: time.nullable().meta({
      description:
        "When the limit is reached today if requests keep coming at the pace since midnight UTC. Null if it will not be reached today, or if it is too early in the day to tell.",
    }),
  })
  .meta({ id: "AnalyticsQuota" });

/** A license in a list of analytics. */
export const listedLicense = {
  license_id: id,
  license_key: z
    .string()
    .nullable()
    .meta({ description: "The beginning of the license key. Null if the license was deleted." }),
  customer_name: z.string().nullable().meta({ description: "Null without the permission to view licenses." }),
  customer_email: z.string().nullable(),
  product_id: id,
  product_name: z.string().nullable(),
};
