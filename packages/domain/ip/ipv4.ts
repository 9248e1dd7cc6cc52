const dot = 46;
const zero = 48;

/** The address as an unsigned 32-bit number, or -1. */
export function readIpv4(text: string, start: number, end: number): number {
  if (end - start < 7 || end - start > 15) return -1;
  let address = 0;
  let part = 0;
  let digits = 0;
  let dots = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === dot) {
      if (digits === 0 || dots === 3) return -1;
      address = address * 256 + part;
      part = 0;
      digits = 0;
      dots++;
      continue;
    }
    const digit = code - zero;
    if (digit < 0 || digit > 9 || (digits > 0 && part === 0)) return -1;
    part = part * 10 + digit;
    digits++;
    if (part > 255) return -1;
  }
  return dots === 3 && digits > 0 ? address * 256 + part : -1;
}

export function ipv4Bytes(address: number): Uint8Array {
  const bytes = new Uint8Array(4);
  bytes[0] = address >>> 24;
  bytes[1] = address >>> 16;
  bytes[2] = address >>> 8;
  bytes[3] = address;
  return bytes;
}

export function formatIpv4(bytes: Uint8Array): string {
  return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
}
