/** The look of an IP address: an IPv4 address stays in one line, an IPv6 address breaks, but not letter by letter. */
export function ipClass(ip: string): string {
  return ip.includes(":") ? "mono ipv6" : "mono oneLine";
}
