import { callerIp } from "@countersign/domain/ip/caller";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { countedAs, type IpAddress, parseIpAddress } from "@countersign/domain/ip/ip-address";
import { memoize } from "@countersign/store/batches/revisioned";

/** Which site a forwarded request is for: `portal` on the portal's own host. Only the validating thread can set it. */
export const siteHeader = "x-countersign-site";

/** The peer address of a forwarded request. Only the validating thread can set it. */
export const peerHeader = "x-countersign-peer";

export function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

export function isForPortalHost(request: Request): boolean {
  return request.headers.get(siteHeader) === "portal";
}

/**
 * The path and query of a request. The host is a placeholder, because the one in `request.url` is whatever the caller
 * sent as `Host`, and need not be a valid host.
 */
export function targetOf(request: Request): URL {
  return new URL(`http://host.invalid${withoutHost(request.url)}`);
}

/**
 * The rest of a path after its base. Empty, which matches no route, for a path that only started there: `..` may have
 * led out of it.
 */
export function pathBelow(path: string, base: string): string {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : "";
}

/**
 * Path and query of `http://example.com/path?query`, or of `/path?query` from some callers. Extracted from the text,
 * because a URL with a malformed host cannot be parsed.
 */
export function withoutHost(url: string): string {
  const target = url.replace(/^https?:\/\/[^/?#]*/, "");
  return target.startsWith("/") ? target : `/${target}`;
}

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
