/** The class for an IP address: IPv4 stays on one line, IPv6 wraps, but not at every character. */
export function ipClass(ip: string): string {
  return ip.includes(":") ? "mono ipv6" : "mono oneLine";
}
