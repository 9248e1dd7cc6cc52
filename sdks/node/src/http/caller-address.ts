/**
 * The group of callers that an IP address belongs to: an IPv4 address is its own group; an IPv6 address belongs to its
 * /64, because a single customer often has that many. Other values, such as a tenant's ID, are used as they are.
 */
export function callerOf(address: string): string {
  const given = withoutPort(address.trim().toLowerCase());
  if (isIpv4(given)) return given;
  const groups = given.includes(":") ? ipv6Groups(given) : null;
  if (groups === null) return given.slice(0, maxLength);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return groups.slice(6).flatMap(bytesOf).join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

const maxLength = 128;

/** Some proxies add the port. With it, each connection would be a caller of its own. */
function withoutPort(address: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(address);
  if (bracketed !== null) return bracketed[1] ?? "";
  return address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

/** The eight groups of an IPv6 address, without its zone. Null if it is not one. */
function ipv6Groups(address: string): number[] | null {
  const [text = ""] = address.split("%");
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head = [], tail] = halves.map(groupsOf);
  if (head === null || tail === null) return null;
  if (tail === undefined) return head.length === 8 ? head : null;
  const missing = 8 - head.length - tail.length;
  return missing >= 1 ? [...head, ...Array<number>(missing).fill(0), ...tail] : null;
}

function groupsOf(text: string): number[] | null {
  if (text === "") return [];
  const groups = text.split(":").flatMap((part) => {
    if (/^[0-9a-f]{1,4}$/.test(part)) return [Number.parseInt(part, 16)];
    if (!isIpv4(part)) return [Number.NaN];
    const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
  return groups.some(Number.isNaN) ? null : groups;
}

function bytesOf(group: number): number[] {
  return [Math.floor(group / 256), group % 256];
}
