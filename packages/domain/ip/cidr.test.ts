import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { forAll } from "../../../tests/support/for-all.ts";
import { listed } from "../../../tests/support/listed.ts";
import { CidrSet, formatCidr, isCovered, parseCidr } from "./cidr.ts";
import { parseIpAddress } from "./ip-address.ts";

describe("parseCidr", () => {
  test.each<[written: string, canonical: string]>([
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["10.20.30.40/8", "10.0.0.0/8"],
    ["10.20.30.41/31", "10.20.30.40/31"],
    ["192.0.2.7", "192.0.2.7/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8:ffff::1/33", "2001:db8:8000::/33"],
    ["2001:db8::1", "2001:db8::1/128"],
    ["::ffff:192.0.2.77/120", "192.0.2.0/24"],
    ["::ffff:192.0.2.77", "192.0.2.77/32"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::ffff:192.0.2.77/95", "::fffe:0:0/95"],
    ["fe80::1%eth0/64", "fe80::/64"],
  ])("the CIDR range %s is read as %s", (written, canonical) => {
    const cidr = parseCidr(written);
    expect(cidr === null ? null : formatCidr(cidr)).toBe(canonical);
  });

  test.each([
    ...listed(
      "/ /8 10.0.0.0/ 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/08 10.0.0.0/+8 10.0.0/8 010.0.0.0/8 10.0.0.0/8/8",
    ),
    ...["", "10.0.0.0/8 ", ...listed("10.0.0.0/255.0.0.0 ::/129 ::/1e1 ::/x x/8 :/8")],
  ])("%p is no CIDR range", (written) => expect(parseCidr(written)).toBeNull());
});

describe("CidrSet", () => {
  const nowMs = 1_000;
  /** Entries as text, with @ and the time at which they end. */
  test.each<[address: string, entries: string, covered: boolean]>([
    ["10.1.2.3", "", false],
    ["9.255.255.255", "10.0.0.0/8", false],
    ["10.255.255.255", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["10.1.2.3", "10.0.0.0/8@1001", true],
    ["10.1.2.3", "10.0.0.0/8@1000", false],
    // An ended entry inside a lasting one, and the other way round.
    ["10.1.2.3", "10.0.0.0/8 10.1.2.0/24@1", true],
    ["10.1.2.3", "10.0.0.0/8@1 10.1.2.0/24", true],
    ["10.1.3.0", "10.0.0.0/8@1 10.1.2.0/24", false],
    // Of duplicates, the longest lasting counts.
    ["10.1.2.3", "10.1.2.3@1 10.1.2.3 10.1.2.3@2", true],
    ["2001:db8::5", "2001:db8::/32", true],
    // The families do not meet, but the mapped form is IPv4.
    ["10.1.2.3", "::/0", false],
    ["::1", "0.0.0.0/0", false],
    ["::ffff:10.1.2.3", "10.0.0.0/8", true],
    ["10.1.2.3", "::ffff:10.0.0.0/104", true],
  ])("%s is covered by %j: %p", (text, entries, covered) => {
    expect(setOf(parsedEntries(entries)).covers(address(text), nowMs)).toBe(covered);
  });

  test("the size of a set is the number of different CIDR ranges, however they are written", () => {
    expect(CidrSet.empty.size).toBe(0);
    expect(setOf(parsedEntries("10.0.0.1/8 10.0.0.0/8@5 ::1")).size).toBe(2);
  });

  // Few distinct bits, so that generated networks nest, touch and repeat.
  const octet = fc.constantFrom(0, 1, 127, 128, 254, 255);
  const ipv4 = fc.array(octet, { minLength: 4, maxLength: 4 }).map((octets) => octets.join("."));
  const ipv6 = fc
    .array(fc.constantFrom("0", "1", "7fff", "8000", "ffff"), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.join(":"));
  const end = fc.oneof(fc.constant(null), fc.integer({ min: 998, max: 1_003 }));
  const network = (address: fc.Arbitrary<string>, longest: number) =>
    fc.tuple(address, fc.nat(longest)).map(([text, prefix]) => `${text}/${prefix}`);
  const entry = fc.tuple(fc.oneof(network(ipv4, 32), network(ipv6, 128)), end);

  test("an IP address is covered exactly if an entry that still applies contains it", () =>
    forAll(3000, [fc.array(entry, { maxLength: 24 }), fc.oneof(ipv4, ipv6)], (entries, text) => {
      const covered = setOf(entries).covers(address(text), nowMs);
      const lasting = entries.filter(([, endsMs]) => endsMs === null || endsMs > nowMs);
      expect(lasting.some(([cidr]) => isCovered(address(text), parsed(cidr)))).toBe(covered);
      expect(lasting.some(([cidr]) => contains(cidr, text))).toBe(covered);
    }));
});

function parsedEntries(text: string): [cidr: string, endsMs: number | null][] {
  const entries = text === "" ? [] : text.split(" ");
  return entries.map((entry) => {
    const [cidr = "", ends] = entry.split("@");
    return [cidr, ends === undefined ? null : Number(ends)];
  });
}

function setOf(entries: ReturnType<typeof parsedEntries>): CidrSet {
  return CidrSet.from(entries.map(([cidr, expiresAtMs]) => ({ cidr: parsed(cidr), expiresAtMs })));
}

function parsed(text: string) {
  const cidr = parseCidr(text);
  if (cidr === null) throw new Error(`${text} is no CIDR`);
  return cidr;
}

function address(text: string) {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

function contains(cidr: string, text: string): boolean {
  const candidate = ipaddr.process(text);
  const [network, prefix] = ipaddr.parseCIDR(formatCidr(parsed(cidr)));
  return candidate.kind() === network.kind() && candidate.match(network, prefix);
}
