import { hourMs, minuteMs } from "../dates/lengths.ts";

/** Used from so many IP addresses, or with so many devices, on one day, a license is not suspicious. */
export const usualIps = 4;
export const usualDevices = 4;

export const sharingReasons = ["many_ips", "many_devices", "impossible_travel"] as const;
export type SharingReason = (typeof sharingReasons)[number];

/** How a license was used on one day. */
interface UseOfDay {
  readonly ips: number;
  readonly devices: number;
  readonly hasImpossibleTravel: boolean;
}

/** Why a license may be shared. `maxIps` is how many IP addresses it is allowed; null for any number. */
export function sharingReasonsOf(use: UseOfDay, maxIps: number | null): SharingReason[] {
  const reasons: SharingReason[] = [];
  if (use.ips > Math.max(usualIps, maxIps ?? 0)) reasons.push("many_ips");
  if (use.devices > usualDevices) reasons.push("many_devices");
  if (use.hasImpossibleTravel) reasons.push("impossible_travel");
  return reasons;
}

interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

/** Nobody travels faster. An airliner flies at about 900 km/h. */
const fastestKmh = 1_000;
/** The places of IP addresses are this inaccurate. */
const nearKm = 100;

const earthRadiusKm = 6_371;

/** Along the surface of the earth. */
function distanceKm(from: Point, to: Point): number {
  const radians = Math.PI / 180;
  const halfLatitude = Math.sin(((to.latitude - from.latitude) * radians) / 2);
  const halfLongitude = Math.sin(((to.longitude - from.longitude) * radians) / 2);
  const chord =
    halfLatitude ** 2 +
    Math.cos(from.latitude * radians) * Math.cos(to.latitude * radians) * halfLongitude ** 2;
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/**
 * The distance and speed of a change of place that no one person can have made; null for any other. Requests within a
 * minute of each other count as a minute apart.
 */
export function impossibleTravel(
  from: Point,
  to: Point,
  elapsedMs: number,
): { readonly distanceKm: number; readonly speedKmh: number } | null {
  const distance = distanceKm(from, to);
  if (distance <= nearKm) return null;
  const speed = distance / (Math.max(Math.abs(elapsedMs), minuteMs) / hourMs);
  return speed > fastestKmh ? { distanceKm: Math.round(distance), speedKmh: Math.round(speed) } : null;
}
