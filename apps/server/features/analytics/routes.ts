import type { analyticsTables } from "@countersign/contract/manage/analytics";
import * as contract from "@countersign/contract/manage/analytics";
import type { Interval } from "@countersign/domain/analytics/range";
import { type CsvValue, csvLine } from "@countersign/domain/csv/csv";
import { type BoundRoute, bind, type MemberContext } from "../../api/context.ts";
import { licenseAnalytics } from "./licenses.ts";
import { refusedLicenses } from "./refused.ts";
import { quotaUse, requestAnalytics } from "./requests.ts";
import { mostCounted, type SelectionQuery } from "./selection.ts";
import { sharingSuspects } from "./sharing.ts";

export const analyticsRoutes: readonly BoundRoute[] = [
  bind(contract.getAnalytics, (context, { query }) => requestAnalytics(context, query)),
  bind(contract.getLicenseAnalytics, (context, { query }) => licenseAnalytics(context, query)),
  bind(contract.listMostRefused, (context, { query }) => refusedLicenses(context, query)),
  bind(contract.listSharingSuspects, (context, { query }) => sharingSuspects(context, query)),
  bind(contract.exportAnalytics, (context, { query }) => exportedTable(context, query)),
];

type Table = (typeof analyticsTables)[number];
type Lines = readonly (readonly CsvValue[])[];

const maxListed = 100;

async function exportedTable(
  context: MemberContext,
  query: SelectionQuery & { readonly table: Table; readonly interval?: Interval | undefined },
): Promise<Response> {
  const lines = await tables[query.table](context, query);
  return new Response(lines.map(csvLine).join(""), {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="analytics-${query.table}.csv"`,
      "cache-control": "no-store",
    },
  });
}

type Query = SelectionQuery & { readonly interval?: Interval | undefined };

/** The heading and the lines of each table. */
const tables: Readonly<Record<Table, (context: MemberContext, query: Query) => Promise<Lines>>> = {
  requests: async (context, query) => {
    const { buckets, totals, previous } = await requestAnalytics(context, query);
    const outcomes = Object.keys({ ...totals.outcomes, ...previous.outcomes }).sort();
    const line = (period: "range" | "previous", figures: typeof previous) => [
      ...[period, figures.from, figures.to, figures.requests, figures.validations, figures.refused],
      ...[figures.unique_licenses, figures.active_licenses, figures.unique_ips],
      ...outcomes.map((outcome) => figures.outcomes[outcome] ?? 0),
    ];
    return [
      [
        ...["period", "from", "to", "requests", "validations", "refused"],
        ...["unique_licenses", "active_licenses", "unique_ips", ...outcomes],
      ],
      ...buckets.map((bucket) => line("range", bucket)),
      line("previous", previous),
    ];
  },
  outcomes: async (context, query) => {
    const { totals, previous } = await requestAnalytics(context, query);
    const [now, before] = [totals.validation_outcomes, previous.validation_outcomes];
    return [
      ["outcome", "validations", "previous_validations"],
      ...mostCounted(new Map(Object.entries(now)), new Map(Object.entries(before))).map((outcome) => [
        ...[outcome, now[outcome] ?? 0, before[outcome] ?? 0],
      ]),
    ];
  },
  versions: async (context, query) => {
    const { buckets, previous, versions } = await requestAnalytics(context, query);
    return [
      ["period", "from", "to", "version", "is_other", "validations"],
      ...versions.flatMap(({ version, is_other, buckets: counts }) =>
        buckets.map(({ from, to }, at) => ["range", from, to, version, is_other, counts[at] ?? 0]),
      ),
      ...versions.map(({ version, is_other, previous_validations: validations }) => [
        ...["previous", previous.from, previous.to, version, is_other, validations],
      ]),
    ];
  },
  countries: async (context, query) => {
    const { countries } = await requestAnalytics(context, query);
    return [
      ["country", "requests", "previous_requests"],
      ...countries.map((row) => [row.country, row.requests, row.previous_requests]),
    ];
  },
  licenses: async (context, query) => {
    const { totals, previous, expiring } = await licenseAnalytics(context, query);
    return [
      ["period", "from", "to", "new", "active", "stopped", "expired", "revoked", "churned", "expiring"],
      ...(
        [
          ["range", totals],
          ["previous", previous],
        ] as const
      ).map(([period, figures]) => [
        ...[
          period,
          figures.from,
          figures.to,
          figures.new,
          figures.active,
          figures.stopped,
          figures.expired,
          figures.revoked,
          figures.churned,
          null,
        ],
      ]),
      ["ahead", expiring.from, expiring.to, null, null, null, null, null, null, expiring.count],
    ];
  },
  quota: async (context, query) => {
    const quota = await quotaUse(context, query.product_id ?? null);
    return [
      [
        ...["product_id", "product_name", "used_today", "used_yesterday"],
        ...["daily_limit", "resets_at", "runs_out_at"],
      ],
      ...quota.map((row) => [
        ...[row.product_id, row.product_name, row.used_today, row.used_yesterday],
        ...[row.daily_limit, row.resets_at, row.runs_out_at],
      ]),
    ];
  },
  refused: async (context, query) => {
    const { data } = await refusedLicenses(context, { ...query, limit: maxListed });
    return [
      [...licenseColumns, "refused", "previous_refused", "outcomes"],
      ...data.map((row) => [
        ...licenseCells(row),
        row.refused,
        row.previous_refused,
        Object.entries(row.outcomes)
          .map(([outcome, count]) => `${outcome}: ${count}`)
          .join(", "),
      ]),
    ];
  },
  sharing: async (context, query) => {
    const { data } = await sharingSuspects(context, { ...query, limit: maxListed });
    return [
      [
        ...licenseColumns,
        ...["max_ips", "reasons", "ips", "devices", "days", "previous_days", "last_day"],
        ...["sample_ips", "sample_devices", "distance_km", "speed_kmh"],
      ],
      ...data.map((row) => [
        ...licenseCells(row),
        ...[row.max_ips, row.reasons.join(" "), row.ips, row.devices, row.days, row.previous_days],
        ...[row.last_day, row.sample_ips.map(({ ip }) => ip).join(" "), row.sample_devices.join(" ")],
        ...[row.travel?.distance_km, row.travel?.speed_kmh],
      ]),
    ];
  },
};

const licenseColumns = [
  "license_id",
  "license_key",
  "customer_name",
  "customer_email",
  "product_id",
  "product_name",
];

function licenseCells(row: {
  readonly license_id: string;
  readonly license_key: string | null;
  readonly customer_name: string | null;
  readonly customer_email: string | null;
  readonly product_id: string;
  readonly product_name: string | null;
}): CsvValue[] {
  return [
    ...[row.license_id, row.license_key, row.customer_name, row.customer_email],
    ...[row.product_id, row.product_name],
  ];
}
