import ipaddr from "ipaddr.js";
import { parseAddress } from "../ip/address.ts";
import { type CidrEntry, CidrSet, parseCidr } from "../ip/cidr.ts";

/** Private places that the operator lets webhooks go to. */
export interface AllowedTargets {
  readonly networks: CidrSet;
  /** In lower case, without a dot at the end. */
  readonly names: ReadonlySet<string>;
}

export const noAllowedTargets: AllowedTargets = { networks: CidrSet.empty, names: new Set() };

/** Whether a request to `host`, which was found to be at `address`, may be made. */
export function mayBeCalled(host: string, address: string, allowed: AllowedTargets): boolean {
  if (allowed.names.has(bareName(host))) return true;
  const parsed = parseAddress(address);
  if (parsed !== null && allowed.networks.covers(parsed, 0)) return true;
  return isPublic(address);
}

/** A host on the Internet, and nothing that leads back to this machine or its neighbours by another spelling. */
export function isPublic(text: string): boolean {
  // Only the one usual spelling is read, and IPv4 that is mapped into IPv6 comes out as IPv4.
  const address = parseAddress(text);
  if (address === null) return false;
  const bytes = [...address.bytes];
  if (address.family === 4) return isUnicast(bytes);
  // Where there is no IPv4, every IPv4 host is reached through NAT64: it is as public as what stands behind it.
  if (nat64.every((byte, index) => bytes[index] === byte)) return isUnicast(bytes.slice(12));
  if (!isGlobal(bytes) || !isUnicast(bytes)) return false;
  return !isIsatap(bytes) || isUnicast(bytes.slice(12));
}

export type ReadAllowedTargets = { ok: true; allowed: AllowedTargets } | { ok: false; problem: string };

/** Reads a list of CIDRs, addresses and host names, separated by commas. */
export function parseAllowedTargets(text: string): ReadAllowedTargets {
  const entries: CidrEntry[] = [];
  const names = new Set<string>();
  for (const written of text.split(",")) {
    const entry = written.trim();
    if (entry === "") continue;
    const cidr = parseCidr(entry);
    if (cidr !== null) entries.push({ cidr, expiresAtMs: null });
    else if (hostName.test(entry) && !/^[0-9.]+$/.test(entry)) names.add(bareName(entry));
    else
      return {
        ok: false,
        problem: `"${entry}" is neither a CIDR nor a host name. List the private targets that webhooks may reach, such as "10.1.0.0/16, hooks.internal".`,
      };
  }
  return { ok: true, allowed: { networks: CidrSet.from(entries), names } };
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

/** All that is given out to hosts so far; the rest holds old ways of wrapping IPv4 in IPv6. */
function isGlobal(bytes: readonly number[]): boolean {
  return ((bytes[0] ?? 0) & 0xe0) === 0x20;
}

/** An IPv4 address as the second half of an IPv6 one, by RFC 5214. */
function isIsatap(bytes: readonly number[]): boolean {
  return ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
