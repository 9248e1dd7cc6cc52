import ipaddr from "ipaddr.js";
import { type CidrEntry, CidrSet, parseCidr } from "../ip/cidr.ts";
import { parseIpAddress } from "../ip/ip-address.ts";

type ReadTarget = { ok: true; target: Target } | { ok: false; problem: UrlProblem };

type UrlProblem =
  | "not_a_url"
  | "url_with_credentials"
  | "url_without_host"
  | "invalid_port"
  | "url_not_public";

/** The target of a webhook, parsed once, so that no code interprets the URL differently. */
export interface Target {
  readonly isSecure: boolean;
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  /** The value of the Host header. */
  readonly authority: string;
  /** Null if the host is a name, which has to be resolved. */
  readonly address: string | null;
}

/**
 * Parses the URL of an endpoint. The WHATWG parser has a single interpretation for every spelling of an IPv4 address
 * (octal, hex, one number, a trailing dot), so what is checked here is what is called.
 */
export function readTarget(text: string, allowed: AllowedTargets): ReadTarget {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return refuse("not_a_url");
  if (url.username !== "" || url.password !== "") return refuse("url_with_credentials");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host === "") return refuse("url_without_host");
  const isSecure = url.protocol === "https:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  if (port === 0) return refuse("invalid_port");
  const isAddress = host.includes(":") || /^[0-9.]+$/.test(host);
  if (isAddress && !mayBeCalled({ host, port }, host, allowed)) return refuse("url_not_public");
  return {
    ok: true,
    target: {
      isSecure,
      host,
      port,
      path: `${url.pathname}${url.search}`,
      authority: url.host,
      address: isAddress ? host : null,
    },
  };
}

function refuse(problem: UrlProblem): ReadTarget {
  return { ok: false, problem };
}

/** Private targets that the operator allows webhooks to reach. */
export interface AllowedTargets {
  readonly onEveryPort: AllowedHosts;
  readonly byPort: ReadonlyMap<number, AllowedHosts>;
}

interface AllowedHosts {
  readonly networks: CidrSet;
  /** In lower case, without a trailing dot. */
  readonly names: ReadonlySet<string>;
}

export const noAllowedTargets: AllowedTargets = {
  onEveryPort: { networks: CidrSet.empty, names: new Set() },
  byPort: new Map(),
};

/** Whether a request to this port of `host`, which resolved to `address`, is allowed. */
export function mayBeCalled(
  { host, port }: { readonly host: string; readonly port: number },
  address: string,
  allowed: AllowedTargets,
): boolean {
  const lists = [allowed.onEveryPort, allowed.byPort.get(port)];
  return lists.some((hosts) => hosts !== undefined && isListed(host, address, hosts)) || isPublic(address);
}

function isListed(host: string, address: string, { names, networks }: AllowedHosts): boolean {
  if (names.has(bareName(host))) return true;
  const parsed = parseIpAddress(address);
  return parsed !== null && networks.covers(parsed, 0);
}

/** A host on the Internet, and nothing that leads back to this machine or its network under another spelling. */
function isPublic(text: string): boolean {
  // Only the canonical spelling is accepted, and IPv4 mapped into IPv6 is converted to IPv4.
  const address = parseIpAddress(text);
  if (address === null) return false;
  const bytes = [...address.bytes];
  if (address.family === 4) return isUnicast(bytes);
  // In a network without IPv4, every IPv4 host is reached through NAT64, so it is as public as the address it embeds.
  if (nat64.every((byte, index) => bytes[index] === byte)) return isUnicast(bytes.slice(12));
  if (!isGlobal(bytes) || !isUnicast(bytes)) return false;
  return !isIsatap(bytes) || isUnicast(bytes.slice(12));
}

type ReadAllowedTargets = { ok: true; allowed: AllowedTargets } | { ok: false; problem: string };

/**
 * Parses a list of CIDRs, IP addresses and host names, separated by commas, each with an optional port. IPv6 needs
 * brackets before a port, as in a URL: without them `::1:8080` is an address.
 */
export function parseAllowedTargets(text: string): ReadAllowedTargets {
  const lists = new Map<number | null, { entries: CidrEntry[]; names: Set<string> }>();
  for (const written of text.split(",")) {
    const entry = written.trim();
    if (entry === "") continue;
    const { host, port } = splitPort(entry);
    const isPort = port === null || (port >= 1 && port <= 65_535);
    const list = lists.get(port) ?? { entries: [], names: new Set() };
    const cidr = parseCidr(host);
    if (isPort && cidr !== null) list.entries.push({ cidr, expiresAtMs: null });
    else if (isPort && hostName.test(host) && !/^[0-9.]+$/.test(host)) list.names.add(bareName(host));
    else
      return {
        ok: false,
        problem: `"${entry}" is neither a CIDR nor a host name, with or without a port. List the private targets that webhooks may reach, such as "10.1.0.0/16, hooks.internal, 127.0.0.1:8080, [::1]:9000".`,
      };
    lists.set(port, list);
  }
  const hosts = new Map(
    [...lists].map(([port, { entries, names }]) => [port, { networks: CidrSet.from(entries), names }]),
  );
  const byPort = new Map<number, AllowedHosts>();
  for (const [port, list] of hosts) if (port !== null) byPort.set(port, list);
  return {
    ok: true,
    allowed: { onEveryPort: hosts.get(null) ?? noAllowedTargets.onEveryPort, byPort },
  };
}

function splitPort(entry: string): { host: string; port: number | null } {
  const parts = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry);
  if (parts === null) return { host: entry, port: null };
  const [, bracketed, bare = "", port] = parts;
  // Brackets mark IPv6: around anything else they are a mistake, and the whole entry is rejected.
  const host = bracketed === undefined ? bare : bracketed.includes(":") ? bracketed : entry;
  return { host, port: port === undefined ? null : Number(port) };
}

const hostName =
  /^(?=.{1,253}\.?$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;
const nat64 = [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

function bareName(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

function isUnicast(bytes: number[]): boolean {
  return ipaddr.fromByteArray(bytes).range() === "unicast";
}

/** Everything assigned to hosts so far; the rest includes old ways of embedding IPv4 in IPv6. */
function isGlobal(bytes: readonly number[]): boolean {
  return ((bytes[0] ?? 0) & 0xe0) === 0x20;
}

/** An IPv4 address as the second half of an IPv6 address, by RFC 5214. */
function isIsatap(bytes: readonly number[]): boolean {
  return ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
