import {
  countedAs,
  formatIpv4,
  formatIpv6,
  type IpAddress,
  ipv4Bytes,
  isIpv4Mapped,
  parseIpAddress,
  readIpv4,
  readIpv6,
} from "./ip-address.ts";
import { IpRanges } from "./ip-ranges.ts";

export interface Cidr {
  readonly family: 4 | 6;
  /** The network address: every bit after the prefix is zero. */
  readonly bytes: Uint8Array;
  readonly prefixLength: number;
}

export interface CidrEntry {
  readonly cidr: Cidr;
  readonly expiresAtMs: number | null;
}

export class CidrSet {
  static readonly empty = new CidrSet(IpRanges.of([], 1), IpRanges.of([], 4), 0);

  static from(entries: Iterable<CidrEntry>): CidrSet {
    const lasting = new Map<string, { cidr: Cidr; untilMs: number }>();
    for (const { cidr, expiresAtMs } of entries) {
      const untilMs = expiresAtMs ?? Number.POSITIVE_INFINITY;
      const key = formatCidr(cidr);
      const known = lasting.get(key);
      if (known === undefined || known.untilMs < untilMs) lasting.set(key, { cidr, untilMs });
    }
    if (lasting.size === 0) return CidrSet.empty;
    const all = [...lasting.values()];
    return new CidrSet(
      IpRanges.of(
        all.filter(({ cidr }) => cidr.family === 4),
        1,
      ),
      IpRanges.of(
        all.filter(({ cidr }) => cidr.family === 6),
        4,
      ),
      lasting.size,
    );
  }

  /** The number of distinct CIDRs. */
  readonly size: number;
  readonly #ipv4: IpRanges;
  readonly #ipv6: IpRanges;

  private constructor(ipv4: IpRanges, ipv6: IpRanges, size: number) {
    this.#ipv4 = ipv4;
    this.#ipv6 = ipv6;
    this.size = size;
  }

  covers(address: IpAddress, nowMs: number): boolean {
    const ranges = address.family === 4 ? this.#ipv4 : this.#ipv6;
    return ranges.untilMs(address.bytes) > nowMs;
  }
}

/** For a list that is used once: building a search structure would take longer than a linear scan. */
export function isCovered(address: IpAddress, { family, bytes, prefixLength }: Cidr): boolean {
  if (family !== address.family) return false;
  const whole = prefixLength >>> 3;
  for (let index = 0; index < whole; index++) if (address.bytes[index] !== bytes[index]) return false;
  const rest = 8 - (prefixLength & 7);
  return rest === 8 || (address.bytes[whole] ?? 0) >>> rest === (bytes[whole] ?? 0) >>> rest;
}

export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf("/");
  const addressText = slash < 0 ? text : text.slice(0, slash);
  const isIpv6 = addressText.includes(":");
  const bytes = isIpv6 ? readIpv6(addressText) : ipv4BytesOf(addressText);
  if (bytes === null) return null;

  const bits = bytes.length * 8;
  const prefixLength = slash < 0 ? bits : readPrefixLength(text.slice(slash + 1), bits);
  if (prefixLength === null) return null;
  // Callers are unmapped before any rule applies, so a rule written in mapped form has to be unmapped too.
  if (isIpv6 && prefixLength >= 96 && isIpv4Mapped(bytes)) return network(bytes.slice(12), prefixLength - 96);
  return network(bytes, prefixLength);
}

export function formatCidr(cidr: Cidr): string {
  const address = cidr.family === 4 ? formatIpv4(cidr.bytes) : formatIpv6(cidr.bytes, 8);
  return `${address}/${cidr.prefixLength}`;
}

function ipv4BytesOf(text: string): Uint8Array | null {
  const address = readIpv4(text, 0, text.length);
  return address < 0 ? null : ipv4Bytes(address);
}

function readPrefixLength(text: string, bits: number): number | null {
  if (!/^(0|[1-9][0-9]{0,2})$/.test(text)) return null;
  const prefixLength = Number(text);
  return prefixLength <= bits ? prefixLength : null;
}

function network(bytes: Uint8Array, prefixLength: number): Cidr {
  const cleared = bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, prefixLength - index * 8));
    return byte & (0xff << (8 - kept));
  });
  return { family: bytes.length === 4 ? 4 : 6, bytes: cleared, prefixLength };
}

/**
 * The longest known text prefix shared by every address in a network: with addresses sorted by text, the range in
 * between is quick to read. A zero group of IPv6 can be written in several ways, so the prefix ends there.
 */
export function commonText({ family, bytes, prefixLength }: Cidr): string {
  if (family === 4) {
    const octets = [...bytes.slice(0, Math.floor(prefixLength / 8))];
    return octets.length === 4 ? octets.join(".") : octets.map((octet) => `${octet}.`).join("");
  }
  let text = "";
  for (let group = 0; group < Math.floor(prefixLength / 16); group++) {
    const value = ((bytes[2 * group] ?? 0) << 8) | (bytes[2 * group + 1] ?? 0);
    if (value === 0) break;
    text += group === 7 ? value.toString(16) : `${value.toString(16)}:`;
  }
  return text;
}

/** Whether an address, or a network such as the /64 that an IPv6 caller counts as, is entirely inside a network. */
export function isWithin(text: string, outer: Cidr): boolean {
  const inner = parseCidr(text);
  if (inner === null || inner.family !== outer.family || inner.prefixLength < outer.prefixLength)
    return false;
  return outer.bytes.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, outer.prefixLength - 8 * index));
    const mask = (0xff00 >> bits) & 0xff;
    return ((inner.bytes[index] ?? 0) & mask) === (byte & mask);
  });
}

/**
 * Every network that contains an address, the address itself last, each as stored in a block list. With these, an index
 * finds the blocks that apply to an address, however many there are.
 */
export function networksOf(address: IpAddress): string[] {
  const bits = address.bytes.length * 8;
  return Array.from({ length: bits + 1 }, (_, prefixLength) => {
    const cidr = parseCidr(`${address.text}/${prefixLength}`);
    if (cidr === null) throw new Error(`${address.text}/${prefixLength} is no network.`);
    return formatCidr(cidr);
  });
}

/** An address in a query: a single address, or the /64 that an IPv6 caller counts as. */
export interface QueriedIp {
  readonly text: string;
  /** What it may have been counted as: products decide. */
  readonly countedAs: readonly string[];
  /** For a /64, its first address: what applies to the whole /64 applies to it. */
  readonly address: IpAddress;
  readonly isNetwork: boolean;
}

export function parseQueriedIp(text: string): QueriedIp | null {
  if (text.length > 64) return null;
  const network = text.endsWith("/64");
  const address = parseIpAddress(network ? text.slice(0, -3) : text);
  if (address === null || (network && address.family === 4)) return null;
  const whole = countedAs(address, 64);
  if (network) {
    const first = parseIpAddress(whole.slice(0, -3));
    return first === null ? null : { text: whole, countedAs: [whole], address: first, isNetwork: true };
  }
  const counted = [...new Set([countedAs(address, 128), whole])];
  return { text: address.text, countedAs: counted, address, isNetwork: false };
}
