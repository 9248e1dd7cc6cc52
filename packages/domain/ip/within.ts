import type { Cidr } from "./cidr.ts";
import { parseCidr } from "./cidr.ts";

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
