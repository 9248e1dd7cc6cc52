import { countedAs, type IpAddress, parseIpAddress } from "./ip-address.ts";

/**
 * A product can count IPv6 callers by /64 or individually, and can change that. Existing registrations keep counting:
 *
 * - a registered /64 covers each of its addresses, however the product counts now, until it is removed;
 * - a registered single address covers its whole /64 while the product counts by /64, as if the /64 were registered.
 */

/** The /64 of a single IPv6 address, stored with its registration. Null for IPv4 and for a /64 itself. */
export function networkOf(ip: string): string | null {
  if (!ip.includes(":") || ip.endsWith("/64")) return null;
  const address = parseIpAddress(ip);
  return address?.family === 6 ? countedAs(address, 64) : null;
}

/** For a caller that is counted individually: the /64 whose registration also covers it. */
export function coveringNetwork(address: IpAddress, ipv6Prefix: 64 | 128): string | null {
  return address.family === 6 && ipv6Prefix === 128 ? countedAs(address, 64) : null;
}

/** A registered IP address as stored. */
export function registration(licenseId: string, ip: string, registeredAtMs: number) {
  return { license_id: licenseId, ip, network: networkOf(ip), registered_at: registeredAtMs };
}
