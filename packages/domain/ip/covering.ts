import { formatCidr, parseCidr } from "./cidr.ts";
import { countedAs, type IpAddress, parseIpAddress } from "./ip-address.ts";

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
export interface AskedIp {
  readonly text: string;
  /** What it may have been counted as: products decide. */
  readonly countedAs: readonly string[];
  /** For a /64, its first address: what applies to the whole /64 applies to it. */
  readonly address: IpAddress;
  readonly isNetwork: boolean;
}

export function parseAsked(text: string): AskedIp | null {
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
