import { formatIpv4, ipv4Bytes, readIpv4 } from "./ipv4.ts";
import { formatIpv6, isIpv4Mapped, readIpv6 } from "./ipv6.ts";

export interface IpAddress {
  /** Canonical: dotted IPv4, or RFC 5952 IPv6. Two addresses are equal exactly if their texts are. */
  readonly text: string;
  readonly family: 4 | 6;
  readonly bytes: Uint8Array;
}

/** Only the canonical spelling of IPv4 is accepted: `010.0.0.1` means different hosts to different parsers. */
export function parseIpAddress(text: string): IpAddress | null {
  const ipv4 = readIpv4(text, 0, text.length);
  if (ipv4 >= 0) return { text, family: 4, bytes: ipv4Bytes(ipv4) };

  const bytes = readIpv6(text);
  return bytes === null ? null : addressFromIpv6(bytes);
}

/** An IPv6 household gets a whole /64, so by default a /64 counts as one caller, not the single address. */
export function countedAs(address: IpAddress, ipv6Prefix: 64 | 128): string {
  if (address.family === 4 || ipv6Prefix === 128) return address.text;
  return `${formatIpv6(address.bytes, 4)}/64`;
}

function addressFromIpv6(bytes: Uint8Array): IpAddress {
  if (!isIpv4Mapped(bytes)) return { text: formatIpv6(bytes, 8), family: 6, bytes };
  const unmapped = bytes.slice(12);
  return { text: formatIpv4(unmapped), family: 4, bytes: unmapped };
}
