import type { IpAddress } from "./ip-address.ts";
import { IpRanges } from "./ip-ranges.ts";
import { formatIpv4, ipv4Bytes, readIpv4 } from "./ipv4.ts";
import { formatIpv6, isIpv4Mapped, readIpv6 } from "./ipv6.ts";

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
