import { callerIp } from "@countersign/domain/ip/caller";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { parseIpAddress } from "@countersign/domain/ip/ip-address";

/** The caller's IP address: the peer, or the client that trusted proxies forward for. */
export function callerIpOf(peer: string | null, headers: Headers, trustedProxies: CidrSet): string | null {
  if (peer === null) return null;
  const address =
    trustedProxies.size === 0
      ? parseIpAddress(peer)
      : callerIp(peer, headers.get("x-forwarded-for"), trustedProxies);
  return address?.text ?? null;
}
