import { describe, expect, test } from "bun:test";
import { parseIpAddress } from "./ip-address.ts";
import { coveringNetwork, networkOf } from "./registered.ts";

describe("registered addresses", () => {
  test.each([
    ["203.0.113.7", null],
    ["2001:db8:0:1::/64", null],
    ["2001:db8:0:1::1", "2001:db8:0:1::/64"],
    ["2001:db8::1:2:3:4", "2001:db8::/64"],
    ["::1", "::/64"],
    ["a", null],
    ["a:b", null],
  ])("%s lies in %p", (ip, network) => expect(networkOf(ip)).toBe(network));

  test.each([
    ["203.0.113.7", 128, null],
    ["203.0.113.7", 64, null],
    ["2001:db8:0:1::1", 64, null],
    ["2001:db8:0:1::1", 128, "2001:db8:0:1::/64"],
    ["::ffff:203.0.113.7", 128, null],
  ] as const)("%s counted by /%p is covered by %p too", (ip, prefix, network) => {
    const address = parseIpAddress(ip);
    expect(address === null ? null : coveringNetwork(address, prefix)).toBe(network);
  });
});
