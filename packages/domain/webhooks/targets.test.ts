import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { listed } from "../../../tests/support/listed.ts";
import { mayBeCalled, noAllowedTargets, parseAllowedTargets, readTarget } from "./targets.ts";

const isPublic = (address: string) => mayBeCalled({ host: address, port: 443 }, address, noAllowedTargets);

test.each(
  listed(`
    1.1.1.1 93.184.216.34 172.15.255.255 172.32.0.0 2606:4700::1111 2a00:1450::1 ::ffff:93.184.216.34
    64:ff9b::5db8:d822
  `),
)("the IP address %s may be called", (address) => expect(isPublic(address)).toBe(true));

test.each([
  ...listed(`
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1
    255.255.255.255 :: ::1 ::127.0.0.1 ::93.184.216.34 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254
    ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::5db8:d822 2002:7f00:1:: 2002:5db8:d822::1
    2001::1 2001:db8::1 2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:7f00:1 fe80::1 fe80::1%eth0 fec0::1 fc00::1
    fd12:3456::1 ff02::1 100::1 5f00::1 4000::1
  `),
  // Not in the canonical form: the connecting code could parse it differently.
  ...["", ...listed("0177.0.0.1 0x7f.0.0.1 2130706433 127.1 1.1 example.com")],
])("the IP address %p may not be called", (address) => expect(isPublic(address)).toBe(false));

test("however a private IPv4 address is wrapped, it stays private", () => {
  const octet = fc.integer({ min: 0, max: 255 });
  forAll(100, [fc.constantFrom(10, 127), octet, octet, octet], (a, b, c, d) => {
    const hex = [a * 256 + b, c * 256 + d].map((part) => part.toString(16)).join(":");
    for (const prefix of ["::ffff:", "::", "64:ff9b::", "64:ff9b:1::", "::ffff:0:", "2606:4700::5efe:"])
      expect(isPublic(prefix + hex)).toBe(false);
    expect(isPublic(`2002:${hex}::1`)).toBe(false);
  });
});

describe("lists of the operator", () => {
  const allowedBy = (list: string) => {
    const parsed = parseAllowedTargets(list);
    return parsed.ok ? parsed.allowed : noAllowedTargets;
  };
  const allowed = allowedBy("10.1.0.0/16, ::1, Hooks.Internal.,");
  test.each([
    ["anything.example", "10.1.2.3", true],
    ["anything.example", "::ffff:10.1.2.3", true],
    ["anything.example", "10.2.0.1", false],
    ["anything.example", "::1", true],
    ["hooks.internal", "192.168.1.1", true],
    ["HOOKS.INTERNAL.", "192.168.1.1", true],
    ["evil.hooks.internal", "192.168.1.1", false],
    ["anything.example", "1.1.1.1", true],
  ])("%s at %s may be called: %p", (host, address, may) => {
    expect(mayBeCalled({ host, port: 8080 }, address, allowed)).toBe(may);
  });

  const withPorts = allowedBy(
    "127.0.0.1:8080, [::1]:9000, 10.0.0.0/8:443, [fd00::/8]:443, hooks.internal:8443, 10.9.9.9, [fd01::1]",
  );
  test.each([
    ["127.0.0.1", 8080, "127.0.0.1", true],
    ["127.0.0.1", 8081, "127.0.0.1", false],
    ["localhost", 8080, "127.0.0.1", true],
    ["::1", 9000, "::1", true],
    ["::1", 8080, "::1", false],
    ["anything.example", 443, "10.1.2.3", true],
    ["anything.example", 80, "10.1.2.3", false],
    ["anything.example", 443, "fd12::1", true],
    ["anything.example", 80, "fd12::1", false],
    ["hooks.internal", 8443, "192.168.1.1", true],
    ["hooks.internal", 443, "192.168.1.1", false],
    ["anything.example", 5432, "10.9.9.9", true],
    ["anything.example", 5432, "fd01::1", true],
    ["anything.example", 12345, "1.1.1.1", true],
  ])("with ports, %s:%d at %s may be called: %p", (host, port, address, may) => {
    expect(mayBeCalled({ host, port }, address, withPorts)).toBe(may);
  });

  test.each([
    ["http://127.0.0.1:8080/", true],
    ["https://10.1.2.3/", true],
    ["http://127.0.0.1/", false],
    ["http://10.1.2.3/", false],
  ])("with ports, %s may be an endpoint: %p", (url, may) => expect(readTarget(url, withPorts).ok).toBe(may));

  test.each([
    "a b",
    ...listed(`
      10.0.0.0/33 127.1 http://x *.internal -x 127.0.0.1: 127.0.0.1:0 127.0.0.1:65536 127.0.0.1:http
      hooks.internal:80:81 :8080 [::1 [::1]8080 [127.0.0.1]:80 [hooks.internal] []:80
    `),
  ])("%p is no entry of the operator's list", (text) => expect(parseAllowedTargets(text).ok).toBe(false));
});

describe("URLs of endpoints", () => {
  test.each(
    listed(`
      ftp://example.com/ example.com https:// https://user@example.com/ https://user:secret@example.com/
      https://example.com:0/ http://127.0.0.1/ http://127.0.0.1./ http://127.1/ http://2130706433/
      http://0x7f000001/ http://0x7f.1/ http://0177.0.0.1/ http://017700000001/ http://0/ http://%31%32%37.0.0.1/
      http://１２７.0.0.1/ http://[::1]/ http://[::ffff:127.0.0.1]/ http://[::127.0.0.1]/
      http://[64:ff9b::127.0.0.1]/ http://169.254.169.254/latest/meta-data/ http:\\\\127.0.0.1\\
    `),
  )("the URL %s is refused", (url) => expect(readTarget(url, noAllowedTargets).ok).toBe(false));

  test.each([
    ["https://example.com/a?b#c", { isSecure: true, host: "example.com", port: 443, path: "/a?b" }],
    ["http://example.com", { isSecure: false, host: "example.com", port: 80, path: "/" }],
    ["https://example.com:8443/x", { port: 8443, authority: "example.com:8443", address: null }],
    ["https://EXAMPLE.com./x", { host: "example.com." }],
    ["https://1.1.1.1/x", { host: "1.1.1.1", address: "1.1.1.1" }],
    ["https://[2606:4700::1111]:22/x", { host: "2606:4700::1111", port: 22, address: "2606:4700::1111" }],
    ["https://müller.example/", { host: "xn--mller-kva.example" }],
  ])("the URL %s is split into its parts", (url, parts) => {
    expect(readTarget(url, noAllowedTargets)).toMatchObject({ ok: true, target: parts });
  });
});
