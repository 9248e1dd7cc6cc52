import { describe, expect, test } from "bun:test";
import {
  type Cidr,
  commonText,
  formatCidr,
  isWithin,
  networksOf,
  parseCidr,
  parseQueriedIp,
} from "./cidr.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";
import { coveringNetwork, networkOf } from "./registered.ts";

const cidr = (text: string) => parseCidr(text) as Cidr;
const address = (text: string) => parseIpAddress(text) as IpAddress;

test("the networks of an address are all prefixes, in the spelling of a block list", () => {
  const ipv4 = networksOf(address("203.0.113.7"));
  expect([ipv4.length, ipv4[0], ipv4[24]]).toEqual([33, "0.0.0.0/0", "203.0.113.0/24"]);
  expect(ipv4.at(-1)).toBe("203.0.113.7/32");
  expect(networksOf(address("::ffff:203.0.113.7"))).toEqual(ipv4);
  const ipv6 = networksOf(address("2001:db8:5::7"));
  expect(ipv6).toHaveLength(129);
  expect(ipv6).toContain("2001:db8:5::/48");
  expect(ipv6.map((network) => formatCidr(cidr(network)))).toEqual(ipv6);
});

describe("asked addresses", () => {
  test("an IP address that is asked for may be counted as itself or as its /64", () => {
    expect(parseQueriedIp("203.0.113.7")?.countedAs).toEqual(["203.0.113.7"]);
    expect(parseQueriedIp("2001:DB8::1:0:0:7")?.countedAs).toEqual(["2001:db8::1:0:0:7", "2001:db8::/64"]);
    expect(parseQueriedIp("::ffff:203.0.113.7")?.text).toBe("203.0.113.7");
    const network = { text: "2001:db8:0:5::/64", countedAs: ["2001:db8:0:5::/64"] };
    const first = { text: "2001:db8:0:5::" };
    expect(parseQueriedIp("2001:db8:0:5:ffff::/64")).toMatchObject({ ...network, address: first });
  });

  test.each(["", "x", "203.0.113.0/24", "203.0.113.7/64", "2001:db8::/48", "010.0.0.1"])(
    "%p is neither an IP address nor the /64 of one",
    (text) => expect(parseQueriedIp(text)).toBeNull(),
  );
});

test.each([
  ["203.0.113.7", null, null],
  ["2001:db8:0:1::1", "2001:db8:0:1::/64", "2001:db8:0:1::/64"],
  ["2001:db8::1:2:3:4", "2001:db8::/64", "2001:db8::/64"],
])("the registered address %s lies in %p, which covers callers that count alone", (ip, network, covering) => {
  expect(networkOf(ip)).toBe(network);
  expect(coveringNetwork(address(ip), 128)).toBe(covering);
  expect(coveringNetwork(address(ip), 64)).toBeNull();
});

test.each(["2001:db8:0:1::/64", "a", "a:b"])("the registered %s lies in no network", (text) =>
  expect(networkOf(text)).toBeNull(),
);

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["203.0.113.0/25", "203.0.113."],
  ["203.0.0.0/15", "203."],
  ["0.0.0.0/0", ""],
  ["2001:db8:1:2::/64", "2001:db8:1:2:"],
  ["2001:db8:0:2::/64", "2001:db8:"],
  ["2001:db8::/29", "2001:"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6"],
])("the texts of all addresses in %p begin with %p", (network, text) => {
  expect(commonText(cidr(network))).toBe(text);
});

test.each([
  ["203.0.113.200", "203.0.113.128/25", true],
  ["203.0.113.7", "203.0.113.128/25", false],
  ["203.0.113.0/24", "203.0.113.0/25", false],
  ["203.0.113.7", "0.0.0.0/0", true],
  ["203.0.113.7", "::/0", false],
  ["2001:db8:1:2::/64", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/31", true],
  ["2001:dba::1", "2001:db8::/31", false],
  ["nonsense", "0.0.0.0/0", false],
])("%p is within %p: %p", (inner, outer, is) => expect(isWithin(inner, cidr(outer))).toBe(is));
