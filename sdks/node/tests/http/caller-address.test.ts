import { expect, test } from "bun:test";
import { callerOf } from "../../src/http/caller-address.ts";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["203.0.113.7:51234", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::ffff:cb00:7107", "203.0.113.7"],
  ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
  [" 203.0.113.7 ", "203.0.113.7"],
])("%s belongs to %s", (address, group) => expect(callerOf(address)).toBe(group));

test.each(["tenant-42", "1:2:3", "1::2::3", "1:2:3:4:5:6:7:8:9", "12345::", ""])(
  "%j is no address, and a group of its own",
  (text) => expect(callerOf(text)).toBe(text),
);

test("a long value is cut", () => expect(callerOf("x".repeat(1_000))).toHaveLength(128));
