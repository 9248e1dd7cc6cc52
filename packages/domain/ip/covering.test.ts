import { describe, expect, test } from "bun:test";
import { formatCidr, parseCidr } from "./cidr.ts";
import { networksOf, parseAsked } from "./covering.ts";
import { parseIpAddress } from "./ip-address.ts";

const canonical = (text: string) => {
  const cidr = parseCidr(text);
  return cidr === null ? null : formatCidr(cidr);
};
const networks = (text: string) => {
  const address = parseIpAddress(text);
  return address === null ? [] : networksOf(address);
};

test("the networks of an address are all prefixes, in the spelling of a block list", () => {
  const ipv4 = networks("203.0.113.7");
  expect([ipv4.length, ipv4[0], ipv4[24]]).toEqual([33, "0.0.0.0/0", "203.0.113.0/24"]);
  expect(ipv4.at(-1)).toBe("203.0.113.7/32");
  expect(networks("2001:db8:5::7")).toHaveLength(129);
  expect(networks("2001:db8:5::7")).toContain(canonical("2001:db8:5::/48") ?? "");
  expect(networks("::ffff:203.0.113.7")).toEqual(ipv4);
  expect(networks("::1").every((network) => canonical(network) === network)).toBe(true);
});

describe("an address that is asked for", () => {
  test("may have been counted as itself or as its /64", () => {
    expect(parseAsked("203.0.113.7")?.countedAs).toEqual(["203.0.113.7"]);
    expect(parseAsked("2001:DB8::1:0:0:7")?.countedAs).toEqual(["2001:db8::1:0:0:7", "2001:db8::/64"]);
    expect(parseAsked("::ffff:203.0.113.7")?.text).toBe("203.0.113.7");
    const network = parseAsked("2001:db8:0:5:ffff::/64");
    expect(network?.text).toBe("2001:db8:0:5::/64");
    expect(network?.countedAs).toEqual(["2001:db8:0:5::/64"]);
    expect(network?.address.text).toBe("2001:db8:0:5::");
  });

  test.each(["", "x", "203.0.113.0/24", "203.0.113.7/64", "2001:db8::/48", "010.0.0.1", "1.2.3"])(
    "%s is none",
    (text) => expect(parseAsked(text)).toBeNull(),
  );
});
