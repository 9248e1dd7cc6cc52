import { expect, test } from "bun:test";
import { parseCidr } from "./cidr.ts";
import { commonText, isWithin } from "./within.ts";

const cidr = (text: string) => {
  const parsed = parseCidr(text);
  if (parsed === null) throw new Error(`${text} is no network.`);
  return parsed;
};

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["203.0.113.0/24", "203.0.113."],
  ["203.0.113.0/25", "203.0.113."],
  ["203.0.0.0/15", "203."],
  ["0.0.0.0/0", ""],
  ["2001:db8:1:2::/64", "2001:db8:1:2:"],
  ["2001:db8:0:2::/64", "2001:db8:"],
  ["2001:db8::/29", "2001:"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6"],
  ["::1", ""],
])("the texts of all addresses in %p begin with %p", (network, text) => {
  expect(commonText(cidr(network))).toBe(text);
});

test.each([
  ["203.0.113.7", "203.0.113.0/24", true],
  ["203.0.113.200", "203.0.113.128/25", true],
  ["203.0.113.7", "203.0.113.128/25", false],
  ["203.0.113.0/24", "203.0.113.0/25", false],
  ["203.0.113.7", "0.0.0.0/0", true],
  ["203.0.113.7", "::/0", false],
  ["2001:db8:1:2::/64", "2001:db8::/32", true],
  ["2001:db8:1:2::/64", "2001:db8:1:2::1/128", false],
  ["2001:db8:1:2::1", "2001:db8:1:2::/64", true],
  ["2001:db9::1", "2001:db8::/31", true],
  ["2001:dba::1", "2001:db8::/31", false],
  ["nonsense", "0.0.0.0/0", false],
])("%p in %p: %p", (inner, outer, is) => expect(isWithin(inner, cidr(outer))).toBe(is));
