import { callerIp } from "@countersign/domain/ip/caller";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { countedAs, type IpAddress, parseIpAddress } from "@countersign/domain/ip/ip-address";
import { memoize } from "@countersign/store/batches/revisioned";

/** The IP address a request is from: the peer, or the client that trusted proxies forward for. */
export function callerIpOf(peer: string | null, headers: Headers, trustedProxies: CidrSet): IpAddress | null {
  if (peer === null) return null;
  // The same few texts occur again and again.
  if (trustedProxies.size === 0) return peerIp(peer);
  return callerIp(peer, headers.get("x-forwarded-for"), trustedProxies);
}

const peerIp = memoize(10_000, parseIpAddress);

/** What an IP address counts as: anyone with one IPv6 address has a whole /64. */
export function networkOf(ip: string | null): string {
  return ip === null ? "somewhere" : network(ip);
}

const network = memoize(10_000, (ip) => {
  const address = parseIpAddress(ip);
  return address === null ? "somewhere" : countedAs(address, 64);
});
