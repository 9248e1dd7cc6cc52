import {
  type SharingReason,
  sharingReasons,
  sharingReasonsOf,
  usualDevices,
  usualIps,
} from "@countersign/domain/analytics/sharing";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { unusualLicenseDays } from "@countersign/store/queries/analytics/license-days";
import { withOpenTail } from "@countersign/store/queries/analytics/open-tail";
import type { Travel, Visit } from "@countersign/store/rollups/sharing";
import type { LicenseDayRow } from "@countersign/store/tables/journal";
import type { MemberContext } from "../../api/context.ts";
import { deviceIds } from "../requests/device-ids.ts";
import {
  daysBefore,
  daysOf,
  knownLicenses,
  type Listed,
  type Selection,
  type SelectionQuery,
  selectionOf,
  shownLicense,
  shownRange,
} from "./selection.ts";

const maxSamples = 10;
/** Licenses that are looked up, those with the most IP addresses and devices first. */
const maxLookedUp = 1_000;

/** Licenses that may be shared, the most suspicious ones first. */
export async function sharingSuspects(
  context: MemberContext,
  query: SelectionQuery & { readonly limit: number },
) {
  const { range, scope, geo } = await selectionOf(context, query);
  const suspects = await suspectsOf(context, { range, scope, geo });
  const listed = suspects
    .sort(
      (a, b) =>
        b.reasons.length - a.reasons.length || b.ips + b.devices - (a.ips + a.devices) || b.days - a.days,
    )
    .slice(0, query.limit);
  const devices = await deviceIds(
    context,
    { licenseIds: listed.map(({ license_id }) => license_id) },
    { fromMs: range.from * hourMs, untilMs: range.to * hourMs },
  );
  return {
    ...shownRange(range),
    has_places: geo?.hasPlaces ?? false,
    data: listed.map(({ sample_ips, travel, ...suspect }) => {
      const withDevices = <Seen extends { readonly ip: string }>(seen: Seen) => ({
        ...seen,
        device_ids: devices?.of({ licenseId: suspect.license_id, ip: seen.ip }) ?? null,
      });
      return {
        ...suspect,
        sample_ips: sample_ips.map((ip) => withDevices({ ip })),
        travel: travel && { ...travel, before: withDevices(travel.before), after: withDevices(travel.after) },
      };
    }),
  };
}

/** How many licenses may be shared, without reading their requests. */
export async function countSuspects(context: MemberContext, query: SelectionQuery) {
  const selection = await selectionOf(context, query);
  return { ...shownRange(selection.range), licenses: (await suspectsOf(context, selection)).length };
}

async function suspectsOf(context: MemberContext, { range, scope, geo }: Omit<Selection, "timeZone">) {
  const db = context.store.listReads;
  const days = daysOf(range);
  const usual = { ips: usualIps, devices: usualDevices };
  const { rows, before } = await withOpenTail(db, scope.organizationId, geo, async (tail) => ({
    rows: await unusualLicenseDays(db, { scope, days, usual }, tail),
    before: await unusualLicenseDays(db, { scope, days: daysBefore(days), usual }, tail),
  }));
  const rowsBefore = Map.groupBy(before, (row) => row.license_id);
  const byLicense = [...Map.groupBy(rows, (row) => row.license_id)].slice(0, maxLookedUp);
  const known = await knownLicenses(
    context,
    byLicense.map(([id]) => id),
  );
  return byLicense.flatMap(([id, ofLicense]) => {
    const license = known.get(id);
    const suspect = license === undefined ? null : suspectOf(license, ofLicense);
    if (license === undefined || suspect === null) return [];
    const previous_days = suspectOf(license, rowsBefore.get(id) ?? [])?.days ?? 0;
    return [{ ...shownLicense(context, id, license.product_id, license), ...suspect, previous_days }];
  });
}

function suspectOf(license: Listed, rows: readonly LicenseDayRow[]) {
  const maxIps = license.ip_system_enabled === 1 ? license.max_ips : null;
  const reasonsFound = new Set<SharingReason>();
  const days = rows.filter((row) => {
    const use = {
      ips: row.ip_count,
      devices: row.device_count,
      hasImpossibleTravel: row.speed_kmh !== null,
    };
    const reasons = sharingReasonsOf(use, maxIps);
    for (const reason of reasons) reasonsFound.add(reason);
    return reasons.length > 0;
  });
  if (days.length === 0) return null;
  const withMost = (figureOf: (row: LicenseDayRow) => number) =>
    days.reduce((most, row) => (figureOf(row) > figureOf(most) ? row : most));
  const mostIps = withMost((row) => row.ip_count);
  const mostDevices = withMost((row) => row.device_count);
  const fastest = withMost((row) => row.speed_kmh ?? 0);
  return {
    max_ips: maxIps,
    reasons: sharingReasons.filter((reason) => reasonsFound.has(reason)),
    ips: mostIps.ip_count,
    devices: mostDevices.device_count,
    days: days.length,
    last_day: isoTime(Math.max(...days.map(({ day }) => day)) * dayMs),
    sample_ips: (JSON.parse(mostIps.ips) as string[]).slice(0, maxSamples),
    sample_devices: (JSON.parse(mostDevices.devices) as string[]).slice(0, maxSamples),
    travel: fastest.travel === null ? null : shownTravel(JSON.parse(fastest.travel) as Travel),
  };
}

function shownTravel({ before, after, distanceKm, speedKmh }: Travel) {
  const shown = ({ ip, at, country }: Visit) => ({ ip, at: isoTime(at), country });
  return { before: shown(before), after: shown(after), distance_km: distanceKm, speed_kmh: speedKmh };
}
