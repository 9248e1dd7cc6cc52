import type * as contract from "@countersign/contract/manage/analytics";
import type { Page } from "playwright-core";
import type { z } from "zod";
import { answers } from "./billing-answers.ts";

type Analytics = z.input<typeof contract.getAnalytics.answer>;
type LicenseAnalytics = z.input<typeof contract.getLicenseAnalytics.answer>;
type Refused = z.input<typeof contract.listMostRefused.answer>;
type Suspects = z.input<typeof contract.listSharingSuspects.answer>;

const dayMs = 86_400_000;
const start = Date.parse("2026-10-19T00:00:00.000Z");
const at = (day: number) => new Date(start + day * dayMs).toISOString();
const range = { from: at(0), to: at(30) };
const before = { from: at(-30), to: at(0) };

/** As the server would have counted them. */
const counted = (outcomes: Record<string, number>) => {
  const validations = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const active = outcomes.active ?? 0;
  return {
    requests: validations + 40,
    validations,
    refused: validations - active,
    outcomes: { ...outcomes, found: 40 },
    validation_outcomes: outcomes,
    unique_licenses: Math.round(active / 3),
    active_licenses: Math.round(active / 3.2),
    unique_ips: Math.round(active / 2.2),
  };
};

/** A month of a busy product. The same in every run. */
const buckets = Array.from({ length: 30 }, (_, day) => {
  const active = Math.round(820 + 260 * Math.sin(day / 1.1) + day * 14);
  const limited = Math.round(active * (day % 9 === 4 ? 0.22 : 0.03));
  const refused = { expired: Math.round(active * 0.06), ip_limit_reached: limited, revoked: 3 };
  const rare = { version_not_allowed: day > 20 ? 40 : 0, ip_blocked: day % 6 };
  return { from: at(day), to: at(day + 1), ...counted({ active, ...refused, ...rare }) };
});

const uses: [version: string | null, use: (day: number) => number][] = [
  ["2.2.0", (day) => (day < 8 ? 0 : (day - 8) * 40)],
  ["2.1.4", (day) => Math.max(60, 700 - day * 18)],
  [null, () => 45],
];
const versions = uses.map(([version, use]) => {
  const counts = buckets.map((_, day) => use(day));
  const validations = counts.reduce((sum, count) => sum + count, 0);
  return { version, is_other: false, validations, previous_validations: 100, buckets: counts };
});

const quota = {
  ...{ product_id: "1", product_name: "Polaris", used_today: 8_200, used_yesterday: 9_120 },
  ...{ daily_limit: 10_000, resets_at: at(30), runs_out_at: "2026-11-17T20:40:00.000Z" },
};

const analytics: Analytics = {
  ...range,
  time_zone: "UTC",
  interval: "day",
  buckets,
  totals: { ...range, ...counted({ active: 24_100, expired: 1_450, ip_limit_reached: 1_290 }) },
  previous: { ...before, ...counted({ active: 20_970, expired: 1_260, product_disabled: 72 }) },
  unique_error: 0.023,
  unique_hours_since: at(-60),
  versions,
  has_countries: true,
  countries: [
    { country: "DE", requests: 14_200, previous_requests: 12_000 },
    { country: null, requests: 120, previous_requests: 0 },
  ],
  quota: [quota],
};

const licenses: LicenseAnalytics = {
  time_zone: "UTC",
  totals: { ...range, new: 184, active: 2_010, stopped: 96, expired: 41, revoked: 7, churned: 48 },
  previous: { ...before, new: 150, active: 1_749, stopped: 0, expired: 52, revoked: 3, churned: 55 },
  expiring: { from: at(30), to: at(60), count: 63, previous_count: 52 },
};

const license = {
  license_id: "00000000-0000-4000-8000-000000000001",
  license_key: "7KQ4-MZ21",
  customer_name: "Carla Beispiel",
  customer_email: "carla@example.com",
  product_id: "1",
  product_name: "Polaris",
};

const outcomes = { ip_limit_reached: 1_190, expired: 14 };
const refused: Refused = {
  ...range,
  data: [{ ...license, refused: 1_204, previous_refused: 980, outcomes }],
};

const home = { ip: "203.0.113.7", device_ids: ["desk-01", "desk-02", "desk-03"] };
const suspects: Suspects = {
  ...range,
  has_places: true,
  data: [
    {
      ...license,
      max_ips: 3,
      reasons: ["many_ips", "impossible_travel"],
      ips: 50,
      devices: 2,
      days: 9,
      previous_days: 4,
      last_day: at(29),
      sample_ips: [home, { ip: "203.0.113.81", device_ids: [] }],
      sample_devices: [],
      travel: {
        before: { ...home, at: "2026-11-16T10:02:00.000Z", country: "DE" },
        after: { ip: "198.51.100.4", device_ids: [], at: "2026-11-16T10:20:00.000Z", country: "BR" },
        distance_km: 9_740,
        speed_kmh: 32_466,
      },
    },
  ],
};

/** Answers the analytics of the page in place of the server. */
export async function answerAnalytics(page: Page): Promise<void> {
  await page.route("**/api/manage/v1/organizations/*/analytics?*", (route) => {
    // The period before ends where the range starts.
    const isBefore = new URL(route.request().url()).searchParams.get("to") === range.from;
    const shifted = { ...analytics, buckets: buckets.slice(3).concat(buckets.slice(0, 3)) };
    return route.fulfill({ json: isBefore ? shifted : analytics });
  });
  await answers(page, "/organizations/*/analytics/licenses?*", () => licenses);
  await answers(page, "/organizations/*/analytics/refused?*", () => refused);
  await answers(page, "/organizations/*/analytics/sharing?*", () => suspects);
}
