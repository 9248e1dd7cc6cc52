import { sharingReasons } from "@countersign/domain/analytics/sharing";
import { expiringDays } from "@countersign/domain/licenses/expiring";
import { z } from "zod";
import { member, route } from "../api/route.ts";
import { time } from "../api/shapes.ts";
import {
  bucket,
  countryUse,
  figures,
  intervalQuery,
  listedLicense,
  quotaUse,
  range,
  rangeQuery,
  versionUse,
} from "./analytics-shapes.ts";
import { deviceIds } from "./ips.ts";

const group = "Analytics";
const access = member("analytics:view");

const live =
  "Figures are counted from the request log and are up to date within a few seconds. They are kept for 13 months.";
const byDay = "Counted by UTC day: from the day of `from` to the day of `to`, both included.";

export const getAnalytics = route({
  id: "getAnalytics",
  method: "GET",
  path: "/organizations/{organization_id}/analytics",
  summary: "Count requests by outcome, version and country",
  description:
    `${live} Buckets are aligned to the clocks of \`time_zone\`: a day on which clocks change has 23 or 25 hours, and weeks start on Monday. ` +
    "The smallest unit is a full UTC hour: in a time zone whose offset is not a whole number of hours, hours are those of UTC, and an hour belongs to the bucket in which it starts.",
  group,
  access,
  query: rangeQuery.extend({ interval: intervalQuery }),
  answer: z
    .object({
      ...range,
      time_zone: z.string(),
      interval: z.enum(["hour", "day", "week", "month"]),
      buckets: z.array(bucket),
      totals: figures.meta({ description: "Of the whole range." }),
      previous: figures.meta({
        description: "Of the period of the same number of hours that ends with the start of the range.",
      }),
      unique_error: z.number().meta({
        description:
          "The standard error of counts of different licenses and IP addresses above 256, as a fraction: 0.023 means that two of three estimates are within 2.3 %. In buckets before `unique_hours_since`, they are counted by UTC day: a day belongs to the bucket that includes its noon in UTC.",
      }),
      unique_hours_since: time,
      versions: z.array(versionUse).max(21).meta({
        description:
          "The most used versions that validations reported, most used first, then those that were only used in the period before, then all others as one. Empty without `product_id`.",
      }),
      has_countries: z.boolean().meta({
        description: "Whether the operator supplies a GeoIP file. Requests before that have no country.",
      }),
      countries: z.array(countryUse).max(300).meta({
        description: "Most requests first, then those that only sent requests in the period before.",
      }),
      quota: z.array(quotaUse).max(20).meta({
        description:
          "The products that used most of their daily limit since midnight UTC, whatever the range.",
      }),
    })
    .meta({ id: "Analytics" }),
  problems: ["product_not_found", "range_empty", "too_many_buckets"],
});

const licenseFigures = z.object({
  ...range,
  new: z.int().meta({ description: "Licenses created in the range that still exist." }),
  active: z.int().meta({
    description:
      "Different licenses with at least one validation with the outcome `active`. Exact up to 256, then an estimate with a standard error of 2.3 %.",
  }),
  stopped: z.int().meta({
    description:
      "Licenses that were active in the period before and not in the range: an estimate, unless both have at most 256.",
  }),
  expired: z.int().meta({
    description:
      "Licenses that expired in the range and have not been renewed since. Revoked licenses are not counted.",
  }),
  revoked: z.int().meta({ description: "Licenses that were revoked in the range and still are." }),
  churned: z.int().meta({ description: "The sum of `expired` and `revoked`." }),
});

export const getLicenseAnalytics = route({
  id: "getLicenseAnalytics",
  method: "GET",
  path: "/organizations/{organization_id}/analytics/licenses",
  summary: "Count new, active, expiring and churned licenses",
  description: live,
  group,
  access,
  query: rangeQuery,
  answer: z
    .object({
      time_zone: z.string(),
      totals: licenseFigures,
      previous: licenseFigures,
      expiring: z.object({
        ...range,
        count: z.int().meta({
          description: `Active licenses that expire in the next ${expiringDays} days, whatever the range: those that \`expires_within_days=${expiringDays}\` lists.`,
        }),
        previous_count: z.int().meta({
          description: `Licenses that expired in the last ${expiringDays} days. Revoked licenses are not counted.`,
        }),
      }),
    })
    .meta({ id: "LicenseAnalytics" }),
  problems: ["product_not_found", "range_empty"],
});

const listQuery = rangeQuery.extend({
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

export const listMostRefused = route({
  id: "listMostRefused",
  method: "GET",
  path: "/organizations/{organization_id}/analytics/refused",
  summary: "List the licenses that were refused most",
  description:
    `Most refusals first. ${byDay} Refusals of an unknown license key belong to no license and are not listed. ` +
    "Of each day and product, the 200 most frequent pairs of license and outcome are known.",
  group,
  access,
  query: listQuery,
  answer: z
    .object({
      ...range,
      data: z
        .array(
          z.object({
            ...listedLicense,
            refused: z.int().meta({ description: "Validations of the license that were refused." }),
            previous_refused: z.int().meta({
              description:
                "The same on as many days before, as far as these refusals were among the most frequent.",
            }),
            outcomes: z.record(z.string(), z.int()).meta({ description: "Refused validations by outcome." }),
          }),
        )
        .max(100),
    })
    .meta({ id: "MostRefused" }),
  problems: ["product_not_found", "range_empty"],
});

const place = z.object({
  ip: z.string(),
  device_ids: deviceIds,
  at: time,
  country: z.string().nullable(),
});

export const listSharingSuspects = route({
  id: "listSharingSuspects",
  method: "GET",
  path: "/organizations/{organization_id}/analytics/sharing",
  summary: "List licenses that may be shared",
  description:
    `${byDay} A license is listed if, on one of these days, it was used from more than 4 IP addresses and more than its \`max_ips\`, ` +
    "with more than 4 device IDs, or from two places between which nobody travels that fast. Refused requests count too. " +
    "Single IPv6 addresses of one /64 count as one. These are hints: a company, a VPN or a mobile network can cause the same.",
  group,
  access,
  query: listQuery,
  answer: z
    .object({
      ...range,
      has_places: z.boolean().meta({
        description: "Whether the operator's GeoIP file has coordinates, which `impossible_travel` requires.",
      }),
      data: z
        .array(
          z.object({
            ...listedLicense,
            max_ips: z.int().nullable().meta({ description: "Null if the license has no limit." }),
            reasons: z.array(z.enum(sharingReasons)),
            ips: z.int().meta({ description: "The most IP addresses on one day. 50 means 50 or more." }),
            devices: z.int().meta({ description: "The most device IDs on one day. 50 means 50 or more." }),
            days: z.int().meta({ description: "How many days have at least one of the reasons." }),
            previous_days: z.int().meta({ description: "The same among as many days before." }),
            last_day: time.meta({ description: "The start of the last such day." }),
            sample_ips: z
              .array(z.object({ ip: z.string(), device_ids: deviceIds }))
              .max(10)
              .meta({ description: "IP addresses of the day with the most." }),
            sample_devices: z
              .array(z.string())
              .max(10)
              .meta({ description: "Device IDs of the day with the most." }),
            travel: z
              .object({
                before: place,
                after: place,
                distance_km: z.int(),
                speed_kmh: z.int(),
              })
              .nullable()
              .meta({
                description:
                  "The fastest change of place, if it is more than 100 km at more than 1,000 km/h.",
              }),
          }),
        )
        .max(100),
    })
    .meta({ id: "SharingSuspects" }),
  problems: ["product_not_found", "range_empty"],
});

export const analyticsTables = [
  "requests",
  "outcomes",
  "versions",
  "countries",
  "licenses",
  "quota",
  "refused",
  "sharing",
] as const;

export const exportAnalytics = route({
  id: "exportAnalytics",
  method: "GET",
  path: "/organizations/{organization_id}/analytics/export",
  summary: "Export a table of analytics as CSV",
  description:
    "`requests` has a line for each bucket, `versions` one for each bucket and version, and both have lines for the period before, " +
    "with `previous` as their period. The others have a line for each outcome, country, period, product or license. " +
    "An apostrophe precedes text that a spreadsheet would run as a formula.",
  group,
  access,
  query: rangeQuery.extend({ table: z.enum(analyticsTables), interval: intervalQuery }),
  answerType: "text/csv",
  answer: z.string(),
  problems: ["product_not_found", "range_empty", "too_many_buckets"],
});
