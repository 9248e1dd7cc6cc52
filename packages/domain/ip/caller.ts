import { type CidrEntry, CidrSet, formatCidr, parseCidr } from "./cidr.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";

/**
 * Clients can send any `X-Forwarded-For`; only what a trusted proxy appended is reliable. So the header is read from
 * the right, one hop per trusted proxy, and stops at anything that cannot be parsed.
 */
export function callerIp(peer: string, forwardedFor: string | null, trusted: CidrSet): IpAddress | null {
  let hop = parseIpAddress(peer);
  if (hop === null || forwardedFor === null || trusted.size === 0) return hop;

  let end = forwardedFor.length;
  for (let hops = 0; hops < maxHops && end >= 0 && trusted.covers(hop, anyTimeMs); hops++) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(",", end - 1);
    const next = parseHop(forwardedFor.slice(comma + 1, end));
    if (next === null) return hop;
    hop = next;
    end = comma;
  }
  return hop;
}

type TrustedProxies = { ok: true; proxies: CidrSet } | { ok: false; problem: string };

export function parseTrustedProxies(text: string): TrustedProxies {
  const entries: CidrEntry[] = [];
  for (const written of text.split(",")) {
    const entry = written.trim();
    if (entry === "") continue;
    if (/^(true|yes|on|all|any|\*)$/i.test(entry)) {
      return refuse(`"${entry}" would let any caller choose its own IP address.`);
    }
    if (/^[0-9]+$/.test(entry)) {
      return refuse(`"${entry}" looks like a number of hops, which a caller can imitate by adding hops.`);
    }
    const cidr = parseCidr(entry);
    if (cidr === null) return refuse(`"${entry}" is neither an IP address nor a CIDR.`);
    if (cidr.prefixLength < (cidr.family === 4 ? minIpv4Prefix : minIpv6Prefix)) {
      return refuse(
        `"${formatCidr(cidr)}" covers so many IP addresses that unknown callers would be trusted.`,
      );
    }
    entries.push({ cidr, expiresAtMs: null });
  }
  return { ok: true, proxies: CidrSet.from(entries) };
}

/** Bounds the work a caller can cause; no real chain of proxies is this long. */
const maxHops = 32;

/** The longest entry is a bracketed IPv6 address with zone and port. */
const maxHopLength = 80;

/** Trusted proxies never expire. */
const anyTimeMs = 0;

/** The widest networks anyone can own: 10.0.0.0/8 and fc00::/7. */
const minIpv4Prefix = 8;
const minIpv6Prefix = 7;

function refuse(reason: string): TrustedProxies {
  return {
    ok: false,
    problem: `${reason} List the addresses or CIDRs of your own proxies, such as "127.0.0.1, 10.0.0.0/8".`,
  };
}

function parseHop(entry: string): IpAddress | null {
  if (entry.length > maxHopLength) return null;
  const text = entry.trim();
  if (text.startsWith("[")) {
    const bracket = text.indexOf("]");
    const inside = text.slice(1, Math.max(1, bracket));
    const after = text.slice(bracket + 1);
    if (!inside.includes(":") || !(after === "" || isPort(after))) return null;
    return parseIpAddress(inside);
  }
  const colon = text.indexOf(":");
  const hasPort = colon >= 0 && text.includes(".") && colon === text.lastIndexOf(":");
  if (!hasPort) return parseIpAddress(text);
  return isPort(text.slice(colon)) ? parseIpAddress(text.slice(0, colon)) : null;
}

function isPort(text: string): boolean {
  return /^:[0-9]{1,5}$/.test(text) && Number(text.slice(1)) <= 65_535;
}
