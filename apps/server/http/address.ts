import { parseAddress } from "@countersign/domain/ip/address";
import { callerAddress } from "@countersign/domain/ip/caller";
import type { CidrSet } from "@countersign/domain/ip/cidr";

/** The caller's IP address: the peer, or the client that trusted proxies forward for. */
export function addressOf(peer: string | null, headers: Headers, trustedProxies: CidrSet): string | null {
  if (peer === null) return null;
  const address =
    trustedProxies.size === 0
      ? parseAddress(peer)
      : callerAddress(peer, headers.get("x-forwarded-for"), trustedProxies);
  return address?.text ?? null;
}
