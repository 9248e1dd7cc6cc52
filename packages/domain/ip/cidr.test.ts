import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { CidrSet, formatCidr, isCovered, parseCidr } from "./cidr.ts";
import { parseIpAddress } from "./ip-address.ts";

describe("parseCidr", () => {
  const accepted: [written: string, canonical: string][] = [
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["10.20.30.40/8", "10.0.0.0/8"],
    ["10.20.30.40/31", "10.20.30.40/31"],
    ["10.20.30.41/31", "10.20.30.40/31"],
    ["192.0.2.7", "192.0.2.7/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["255.255.255.255/0", "0.0.0.0/0"],
    ["2001:DB8:ffff::1/33", "2001:db8:8000::/33"],
    ["2001:db8::1", "2001:db8::1/128"],
    ["::/0", "::/0"],
    ["::ffff:192.0.2.77/120", "192.0.2.0/24"],
    ["::ffff:192.0.2.77", "192.0.2.77/32"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::ffff:192.0.2.77/95", "::fffe:0:0/95"],
    ["::ffff:192.0.2.77/64", "::/64"],
    ["fe80::1%eth0/64", "fe80::/64"],
  ];

  test.each(accepted)("reads %s as %s", (written, canonical) => {
    const cidr = parseCidr(written);
    expect(cidr === null ? null : formatCidr(cidr)).toBe(canonical);
  });

  const refused = [
    ...[
      "",
      "/",
      "/8",
      "10.0.0.0/",
      "10.0.0.0/33",
      "10.0.0.0/-1",
      "10.0.0.0/08",
      "10.0.0.0/8 ",
      "10.0.0.0/+8",
    ],
    ...[
      "10.0.0/8",
      "010.0.0.0/8",
      "10.0.0.0/8/8",
      "10.0.0.0/255.0.0.0",
      "::/129",
      "::/1e1",
      "::/x",
      "x/8",
      ":/8",
    ],
  ];

  test.each(refused)("refuses %p", (written) => {
    expect(parseCidr(written)).toBeNull();
  });
});

describe("CidrSet", () => {
  const nowMs = 1_000;
  const rows: [address: string, entries: [cidr: string, expiresAtMs: number | null][], covered: boolean][] = [
    ["10.1.2.3", [], false],
    ["10.1.2.3", [["10.0.0.0/8", null]], true],
    ["11.0.0.0", [["10.0.0.0/8", null]], false],
    ["9.255.255.255", [["10.0.0.0/8", null]], false],
    ["10.255.255.255", [["10.0.0.0/8", null]], true],
    ["255.255.255.255", [["255.255.255.255", null]], true],
    ["0.0.0.0", [["0.0.0.0/0", null]], true],
    ["10.1.2.3", [["10.0.0.0/8", 1_001]], true],
    ["10.1.2.3", [["10.0.0.0/8", 1_000]], false],
    // An ended entry inside a lasting one, and the other way round.
    [
      "10.1.2.3",
      [
        ["10.0.0.0/8", null],
        ["10.1.2.0/24", 1],
      ],
      true,
    ],
    [
      "10.1.2.3",
      [
        ["10.0.0.0/8", 1],
        ["10.1.2.0/24", null],
      ],
      true,
    ],
    [
      "10.1.3.0",
      [
        ["10.0.0.0/8", 1],
        ["10.1.2.0/24", null],
      ],
      false,
    ],
    [
      "10.1.3.0",
      [
        ["10.0.0.0/8", null],
        ["10.1.2.0/24", null],
      ],
      true,
    ],
    [
      "10.0.0.0",
      [
        ["10.0.0.0/8", 1],
        ["10.0.0.0/9", null],
        ["10.0.0.0/10", 1],
      ],
      true,
    ],
    // Duplicates: the longest lasting counts, in any order.
    [
      "10.1.2.3",
      [
        ["10.1.2.3", null],
        ["10.1.2.3", 1],
      ],
      true,
    ],
    [
      "10.1.2.3",
      [
        ["10.1.2.3", 1],
        ["10.1.2.3", null],
      ],
      true,
    ],
    [
      "10.1.2.3",
      [
        ["10.1.2.3", 1],
        ["10.1.2.3", 2_000],
      ],
      true,
    ],
    ["2001:db8::5", [["2001:db8::/32", null]], true],
    ["2001:db9::", [["2001:db8::/32", null]], false],
    ["2001:db8::5", [["2001:db8::5", null]], true],
    ["2001:db8::6", [["2001:db8::5", null]], false],
    ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", [["::/0", null]], true],
    // The families do not meet, but the mapped form is IPv4.
    ["10.1.2.3", [["::/0", null]], false],
    ["::1", [["0.0.0.0/0", null]], false],
    ["::ffff:10.1.2.3", [["10.0.0.0/8", null]], true],
    ["10.1.2.3", [["::ffff:10.0.0.0/104", null]], true],
  ];

  test.each(rows)("%s within %j is covered: %p", (text, written, covered) => {
    expect(setOf(written).covers(address(text), nowMs)).toBe(covered);
  });

  test("size counts different CIDRs, however they are written", () => {
    expect(CidrSet.empty.size).toBe(0);
    expect(
      setOf([
        ["10.0.0.1/8", null],
        ["10.0.0.0/8", 5],
        ["::1", null],
      ]).size,
    ).toBe(2);
  });

  // Few distinct bits, so that generated networks nest, touch and repeat.
  const octet = fc.constantFrom(0, 1, 127, 128, 254, 255);
  const ipv4 = fc.array(octet, { minLength: 4, maxLength: 4 }).map((octets) => octets.join("."));
  const ipv6 = fc
    .array(fc.constantFrom("0", "1", "7fff", "8000", "ffff"), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.join(":"));
  const end = fc.oneof(fc.constant(null), fc.integer({ min: 998, max: 1_003 }));
  const entry = fc.oneof(
    fc.tuple(
      fc.tuple(ipv4, fc.nat(32)).map(([text, prefix]) => `${text}/${prefix}`),
      end,
    ),
    fc.tuple(
      fc.tuple(ipv6, fc.nat(128)).map(([text, prefix]) => `${text}/${prefix}`),
      end,
    ),
  );

  test("covers an address exactly when some entry that still applies contains it", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 24 }), fc.oneof(ipv4, ipv6), (entries, text) => {
        const covered = setOf(entries).covers(address(text), nowMs);
        const oneByOne = entries.some(([cidr, endsMs]) => {
          const parsed = parseCidr(cidr);
          return parsed !== null && (endsMs === null || endsMs > nowMs) && isCovered(address(text), parsed);
        });
        expect(oneByOne).toBe(covered);
        expect(covered).toBe(
          entries.some(([cidr, endsMs]) => (endsMs === null || endsMs > nowMs) && contains(cidr, text)),
        );
      }),
      { numRuns: 3000 },
    );
  });
});

function setOf(entries: readonly (readonly [string, number | null])[]): CidrSet {
  return CidrSet.from(
    entries.map(([text, expiresAtMs]) => {
      const cidr = parseCidr(text);
      if (cidr === null) throw new Error(`${text} is no CIDR`);
      return { cidr, expiresAtMs };
    }),
  );
}

function address(text: string) {
  const parsed = parseIpAddress(text);
  if (parsed === null) throw new Error(`${text} is no address`);
  return parsed;
}

function contains(cidr: string, text: string): boolean {
  const candidate = ipaddr.process(text);
  const parsed = parseCidr(cidr);
  if (parsed === null) throw new Error(`${cidr} is no CIDR`);
  const [network, prefix] = ipaddr.parseCIDR(formatCidr(parsed));
  return candidate.kind() === network.kind() && candidate.match(network, prefix);
}
