import { describe, expect, test } from "bun:test";
import { isIP } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { forAll } from "../../../tests/support/for-all.ts";
import { listed } from "../../../tests/support/listed.ts";
import { countedAs, parseIpAddress } from "./ip-address.ts";

/** The property below has more, but few with a zone, an embedded IPv4 address or a single zero group. */
const accepted: [written: string, canonical: string, family: 4 | 6][] = [
  ["203.0.113.9", "203.0.113.9", 4],
  ["::", "::", 6],
  ["2001:0db8:0000:0001:0000:0000:0000:0001", "2001:db8:0:1::1", 6],
  ["2001:DB8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1", 6],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0", 6],
  ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8", 6],
  ["1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a", 6],
  ["::1.2.3.4", "::102:304", 6],
  ["fe80::1%eth0", "fe80::1", 6],
  ["::FFFF:c000:201", "192.0.2.1", 4],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1", 4],
  ["::ffff:192.0.2.1%eth0", "192.0.2.1", 4],
  ["::fffe:192.0.2.1", "::fffe:c000:201", 6],
];

const refused = [
  ...listed(
    "1 1.2.3 1.2.3. 1.2.3.4. .1.2.3.4 1..2.3 1.2.3.4.5 256.1.1.1 1.2.3.999 01.2.3.4 1.2.3.00 0x1.2.3.4",
  ),
  ...listed("0177.0.0.1 2130706433 127.1 1.2.3.-4 1.2.3.4:80 1.2.3.4/32 1.2.3.4%eth0 1.2.3.٤ localhost"),
  ...["", " ", "1.2.3.4 ", " 1.2.3.4", "::1 ", "fe80::1%eth 0"],
  ...listed(
    ": ::: 1: :1 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7:8: 1::2: 1:2:3:4:5:6:7:8:: ::1:2:3:4:5:6:7:8",
  ),
  ...listed(
    "1::2::3 1:::2 12345:: ::g [::1] [::1]:80 ::1/128 ::1.2.3 ::1.2.3.4:5 ::01.2.3.4 ::256.1.1.1 ::.1.2.3",
  ),
  ...listed("1:2:3:4:5:6:7:1.2.3.4 ::1a.2.3.4 ::1.2.3.4.5 fe80::1% fe80::1%a%b %eth0"),
  ...[`::${"1".repeat(100)}`, `fe80::1%${"e".repeat(100)}`],
];

describe("parseAddress", () => {
  test.each(accepted)("the IP address %s is read as %s", (written, canonical, family) => {
    const address = parseIpAddress(written);
    expect(address).toMatchObject({ text: canonical, family });
    expect(address?.bytes.length).toBe(family === 4 ? 4 : 16);
  });

  test.each(refused)("%p is no IP address", (written) => expect(parseIpAddress(written)).toBeNull());

  test("every IP address has the bytes and the RFC 5952 text of ipaddr.js, and is read back from that text", () =>
    forAll(1000, [fc.oneof(fc.ipV4(), fc.ipV6(), sparseIpv6)], (text) => {
      // ipaddr.js takes ::1.2.3.4 for ::ffff:1.2.3.4, which are different in RFC 4291.
      fc.pre(!/^::[0-9.]+$/.test(text) || !text.includes("."));
      const expected = ipaddr.process(text);
      const address = parseIpAddress(text);
      const text5952 = expected instanceof ipaddr.IPv6 ? expected.toRFC5952String() : expected.toString();
      expect(address?.text).toBe(text5952);
      expect([...(address?.bytes ?? [])]).toEqual(expected.toByteArray());
      expect(parseIpAddress(text5952)).toEqual(address);
    }));

  test("texts without a zone are IP addresses exactly if the platform accepts them", () => {
    const nearMiss = fc.string({ unit: fc.constantFrom(..."0123459af:.:.x[]/ "), maxLength: 24 });
    forAll(2000, [fc.oneof(nearMiss, fc.ipV4Extended(), fc.ipV6())], (text) => {
      expect(parseIpAddress(text) !== null).toBe(isIP(text) !== 0);
    });
  });
});

describe("countedAs", () => {
  test.each<[address: string, at64: string, at128: string]>([
    ["203.0.113.9", "203.0.113.9", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1:2:3:4:5:6"],
    ["2001:db8:1:2:ffff::", "2001:db8:1:2::/64", "2001:db8:1:2:ffff::"],
    ["2001:db8::1", "2001:db8::/64", "2001:db8::1"],
    ["::1", "::/64", "::1"],
  ])("%s is counted as %s with a prefix of 64, and as %s with one of 128", (text, at64, at128) => {
    const address = parseIpAddress(text);
    expect(address === null ? null : countedAs(address, 64)).toBe(at64);
    expect(address === null ? null : countedAs(address, 128)).toBe(at128);
  });
});

/** Mostly zero groups, where the choice of the run to compress matters. */
const sparseIpv6 = fc
  .array(fc.constantFrom("0", "0", "0", "1", "ffff", "ABC"), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.join(":"));
