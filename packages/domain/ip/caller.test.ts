import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { callerIp, parseTrustedProxies } from "./caller.ts";
import { CidrSet } from "./cidr.ts";

const proxies = trust("10.0.0.0/8, 2001:db8:ffff::/48, 127.0.0.1");

describe("callerAddress", () => {
  test.each<[name: string, peer: string, forwardedFor: string | null, caller: string | null]>([
    ["a peer without a header is the caller", "203.0.113.9", null, "203.0.113.9"],
    ["an untrusted peer cannot choose its address", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["a mapped peer is read as IPv4", "::ffff:203.0.113.9", null, "203.0.113.9"],
    ["a mapped trusted peer is trusted", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["a peer that is no IP address gives no caller", "unix:/run/x.sock", "198.51.100.1", null],
    ["a trusted peer names the caller", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["only the rightmost untrusted hop is believed", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["trusted hops are skipped", "10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.3, 10.0.0.2", "198.51.100.1"],
    ["an IPv6 proxy is skipped", "2001:db8:ffff::1", "198.51.100.1, 2001:db8:ffff::2", "198.51.100.1"],
    ["if all hops are trusted, the leftmost is the caller", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["an empty header leaves the peer", "10.0.0.1", "", "10.0.0.1"],
    ["spaces around entries do not matter", "10.0.0.1", "  198.51.100.1 ,\t10.0.0.2  ", "198.51.100.1"],
    ["an IPv4 port is dropped", "10.0.0.1", "198.51.100.1:5678", "198.51.100.1"],
    ["a bracketed IPv6 port is dropped", "10.0.0.1", "[2001:db8::1]:443", "2001:db8::1"],
    ["IPv6 without brackets is read as a whole", "10.0.0.1", "2001:db8::1:443", "2001:db8::1:443"],
    ["a mapped trusted entry is skipped", "10.0.0.1", "198.51.100.1, [::ffff:10.0.0.2]:80", "198.51.100.1"],
    ["an unreadable hop makes the peer the caller", "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
    ["an unreadable hop makes a proxy the caller", "10.0.0.1", "198.51.100.1, _hidden, 10.0.0.2", "10.0.0.2"],
    ["an empty entry is unreadable", "10.0.0.1", "198.51.100.1, , 10.0.0.2", "10.0.0.2"],
    ["an empty first entry is unreadable", "10.0.0.1", ",10.0.0.2", "10.0.0.2"],
    ["an entry with a port out of range is unreadable", "10.0.0.1", "198.51.100.1:99999", "10.0.0.1"],
    ["an entry with a port without digits is unreadable", "10.0.0.1", "198.51.100.1:", "10.0.0.1"],
    ["an entry with an open bracket is unreadable", "10.0.0.1", "[2001:db8::1", "10.0.0.1"],
    ["an entry with text after a bracket is unreadable", "10.0.0.1", "[2001:db8::1]x", "10.0.0.1"],
    ["IPv4 in brackets is unreadable", "10.0.0.1", "[198.51.100.1]", "10.0.0.1"],
    ["an overlong entry is unreadable", "10.0.0.1", `${" ".repeat(90)}198.51.100.1`, "10.0.0.1"],
  ])("%s", (_name, peer, forwardedFor, caller) => {
    expect(callerIp(peer, forwardedFor, proxies)?.text ?? null).toBe(caller);
  });

  test("without trusted proxies the header is never read", () =>
    expect(callerIp("10.0.0.1", "198.51.100.1", CidrSet.empty)?.text).toBe("10.0.0.1"));

  test("entries left of the caller never change the result", () =>
    forAll(100, [fc.string({ maxLength: 200 })], (forged) => {
      const caller = callerIp("10.0.0.1", `${forged}, 198.51.100.1, 10.0.0.2`, proxies);
      expect(caller?.text).toBe("198.51.100.1");
    }));

  test("at most 32 hops are read, however long the header is", () => {
    const hops = Array.from({ length: 20_000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
    expect(callerIp("10.0.0.1", hops.join(", "), proxies)?.text).toBe(hops.at(-32));
  });
});

describe("parseTrustedProxies", () => {
  test.each<[text: string, size: number]>([
    ["  ", 0],
    ["10.0.0.0/8", 1],
    ["10.0.0.0/8,192.0.2.1 , 2001:db8::/32,", 3],
    ["fc00::/7", 1],
  ])("the list %p of trusted proxies has %p entries", (text, size) => {
    const result = parseTrustedProxies(text);
    expect(result.ok && result.proxies.size).toBe(size);
  });

  test.each([
    ...["true", "all", "*", "1", "10.0.0.1, 1", "0.0.0.0/0", "::/0", "::ffff:0:0/96", "loopback"],
    ...["0.0.0.0/1, 128.0.0.0/1", "2000::/3", "10.0.0.0/33", "10.0.0.1:80"],
  ])("the refusal of %p as trusted proxies says what is valid", (text) => {
    const result = parseTrustedProxies(text);
    expect(result.ok ? null : result.problem).toMatch(/^".+" .+\. List the addresses or CIDRs .+\.$/);
  });
});

function trust(text: string): CidrSet {
  const result = parseTrustedProxies(text);
  if (!result.ok) throw new Error(result.problem);
  return result.proxies;
}
