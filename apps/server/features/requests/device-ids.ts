import { networkOf } from "@countersign/domain/ip/registered";
import { type DeviceSearch, type SeenDevice, seenDevices } from "@countersign/store/queries/ips/seen-devices";
import type { MemberContext } from "../../api/context.ts";
import { requestsKeptSince } from "./show.ts";

/** The device IDs that are shown together with an IP address. */
const maxDeviceIds = 10;

/** All that is given must match. */
interface Of {
  readonly ip?: string;
  readonly licenseId?: string;
  readonly organizationId?: string;
}

/** The device IDs of the latest requests, found by one bounded search of the log for a whole page. */
export class DeviceIds {
  readonly #seen: readonly SeenDevice[];

  constructor(seen: readonly SeenDevice[]) {
    this.#seen = seen;
  }

  /** The newest first. */
  of({ ip, licenseId, organizationId }: Of): string[] {
    const ids = new Set<string>();
    for (const seen of this.#seen) {
      if (ip !== undefined && !isWithin(seen.ip, ip)) continue;
      if (licenseId !== undefined && seen.licenseId !== licenseId) continue;
      if (organizationId !== undefined && seen.organizationId !== organizationId) continue;
      ids.add(seen.deviceId);
      if (ids.size === maxDeviceIds) break;
    }
    return [...ids];
  }
}

/**
 * The device IDs of an organization's requests with one of its licenses or from IP addresses; null without
 * `requests:view`.
 */
export async function deviceIds(
  context: MemberContext,
  subject: { readonly licenseIds: readonly string[] } | { readonly ips: readonly string[] },
  range: { readonly fromMs: number; readonly untilMs: number } = always,
): Promise<DeviceIds | null> {
  if (!context.organizationAccess.permissions.has("requests:view")) return null;
  const { organization } = context;
  const search: DeviceSearch =
    "ips" in subject ? { seen: subject.ips.map((ip) => ({ organizationId: organization.id, ip })) } : subject;
  const keptSinceMs = await requestsKeptSince(context, organization);
  const fromMs = Math.max(range.fromMs, keptSinceMs);
  return new DeviceIds(await seenDevices(context.store.listReads, search, { ...range, fromMs }));
}

/** A single address of a product that counts them one by one belongs to its network, too. */
function isWithin(seen: string, ip: string): boolean {
  return seen === ip || (ip.endsWith("/64") && networkOf(seen) === ip);
}

const always = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
