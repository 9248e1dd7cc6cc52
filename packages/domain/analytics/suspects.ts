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
