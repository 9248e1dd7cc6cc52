import { expect, test } from "bun:test";
import { wideNetwork } from "./block-dialog.tsx";

test.each([
  ["0.0.0.0/0", { family: "IPv4", isAll: true, ips: 2 ** 32 }],
  ["::/0", { family: "IPv6", isAll: true, ips: 2 ** 128 }],
  [" 10.0.0.0/8 ", { family: "IPv4", isAll: false, ips: 2 ** 24 }],
  ["2001::/31", { family: "IPv6", isAll: false, ips: 2 ** 97 }],
  ["10.1.0.0/16", null],
  ["2001:db8::/32", null],
  ["192.0.2.1", null],
  ["nowhere/0", null],
  ["", null],
])("the size of %p is warned of only if it locks out many", (cidr, wide) => {
  expect<unknown>(wideNetwork(cidr)).toEqual(wide);
});
