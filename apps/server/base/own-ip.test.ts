import { expect, test } from "bun:test";
import type { NetworkInterfaceInfo } from "node:os";
import { ownIp } from "./own-ip.ts";

const at = (address: string, internal = false) =>
  ({ address, family: address.includes(":") ? "IPv6" : "IPv4", internal }) as NetworkInterfaceInfo;
const loopback = [at("127.0.0.1", true), at("::1", true)];

test.each<[what: string, interfaces: NetworkInterfaceInfo[][], ip: string | null]>([
  ["its IPv4 address", [loopback, [at("fe80::1"), at("2001:db8::7"), at("192.0.2.7")]], "192.0.2.7"],
  ["the first of several", [loopback, [at("192.0.2.7")], [at("172.17.0.1")]], "192.0.2.7"],
  ["its IPv6 address without IPv4", [loopback, [at("fe80::1"), at("2001:db8::7")]], "2001:db8::7"],
  ["none that only its own link can reach", [loopback, [at("fe80::1"), at("169.254.3.4")]], null],
  ["none without a network", [loopback], null],
])("other machines reach a machine at %s", (_, interfaces, ip) => {
  expect(ownIp(Object.fromEntries(interfaces.map((each, index) => [`eth${index}`, each])))).toBe(ip);
});
