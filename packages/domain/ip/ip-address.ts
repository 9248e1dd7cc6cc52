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

const colon = 58;

/** The longest address has 45 characters; the rest leaves room for a zone such as `%eth0`. */
const maxTextLength = 64;

/** The sixteen bytes as written: an IPv4-mapped address stays mapped, a zone is dropped. */
export function readIpv6(text: string): Uint8Array | null {
  if (text.length < 2 || text.length > maxTextLength) return null;
  const end = endBeforeZone(text);
  let position = 0;
  if (text.charCodeAt(0) === colon) {
    if (text.charCodeAt(1) !== colon) return null;
    position = 1;
  }

  const bytes = new Uint8Array(16);
  let written = 0;
  let gap = -1;
  let groupStart = position;
  let group = 0;
  let digits = 0;
  while (position < end) {
    const code = text.charCodeAt(position++);
    const digit = hexDigit(code);
    if (digit >= 0) {
      if (digits === 4) return null;
      group = (group << 4) | digit;
      digits++;
    } else if (code === colon) {
      groupStart = position;
      if (digits === 0) {
        if (gap >= 0) return null;
        gap = written;
        continue;
      }
      if (position === end || written > 14) return null;
      bytes[written++] = group >>> 8;
      bytes[written++] = group;
      group = 0;
      digits = 0;
    } else if (code === dot && written <= 12) {
      const ipv4 = readIpv4(text, groupStart, end);
      if (ipv4 < 0) return null;
      bytes[written++] = ipv4 >>> 24;
      bytes[written++] = ipv4 >>> 16;
      bytes[written++] = ipv4 >>> 8;
      bytes[written++] = ipv4;
      digits = 0;
      break;
    } else {
      return null;
    }
  }
  if (digits > 0) {
    if (written > 14) return null;
    bytes[written++] = group >>> 8;
    bytes[written++] = group;
  }

  if (gap < 0) return written === 16 ? bytes : null;
  if (written === 16) return null;
  bytes.copyWithin(16 - (written - gap), gap, written);
  bytes.fill(0, gap, 16 - (written - gap));
  return bytes;
}

/** RFC 5952. Groups from `significantGroups` on are treated as zero, which is how a network is written. */
export function formatIpv6(bytes: Uint8Array, significantGroups: number): string {
  let gapStart = 8;
  let gapLength = 1;
  let runLength = 0;
  for (let index = 0; index < 8; index++) {
    const isZero = index >= significantGroups || (bytes[2 * index] === 0 && bytes[2 * index + 1] === 0);
    runLength = isZero ? runLength + 1 : 0;
    if (runLength > gapLength) {
      gapLength = runLength;
      gapStart = index + 1 - runLength;
    }
  }

  let text = "";
  for (let index = 0; index < 8; index++) {
    if (index === gapStart) {
      text += "::";
      index += gapLength - 1;
      continue;
    }
    if (index > 0 && index !== gapStart + gapLength) text += ":";
    const group =
      index < significantGroups ? ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0) : 0;
    text += group.toString(16);
  }
  return text;
}

/** `::ffff:0:0/96`, the form in which a dual-stack socket reports an IPv4 peer. */
export function isIpv4Mapped(bytes: Uint8Array): boolean {
  if (bytes[10] !== 0xff || bytes[11] !== 0xff) return false;
  for (let index = 0; index < 10; index++) if (bytes[index] !== 0) return false;
  return true;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** A zone names a network interface of the machine that wrote it, so it says nothing about the caller. */
function endBeforeZone(text: string): number {
  const percent = text.indexOf("%");
  if (percent < 0) return text.length;
  return zone.test(text.slice(percent + 1)) ? percent : 0;
}

const zone = /^[A-Za-z0-9._~-]+$/;
