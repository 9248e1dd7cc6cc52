import { countedAs, parseIpAddress } from "@countersign/domain/ip/ip-address";
import { memoize } from "@countersign/store/batches/revisioned";

/** What an IP address counts as: anyone with one IPv6 address has a whole /64. */
export function networkOf(ip: string | null): string {
  return ip === null ? "somewhere" : network(ip);
}

const network = memoize(10_000, (ip) => {
  const address = parseIpAddress(ip);
  return address === null ? "somewhere" : countedAs(address, 64);
});
