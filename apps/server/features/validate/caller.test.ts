import { expect, test } from "bun:test";
import { parseIpAddress } from "@countersign/domain/ip/ip-address";
import type { CallerProduct } from "@countersign/store/batches/calls";
import type { JournalEntry } from "@countersign/store/journal";
import { Caller } from "./caller.ts";

test("a journal entry is short, whatever was sent as the version", () => {
  const kept: JournalEntry[] = [];
  const ipAddress = parseIpAddress("203.0.113.1");
  if (ipAddress === null) throw new Error("That is an address.");
  const key = { publicId: "p", hash: "h", isTest: false };
  const caller = new Caller("validate", "r", key, ipAddress, 0, null, () => {}, {
    count: () => {},
    took: () => {},
    record: (entry) => kept.push(entry),
  });
  const product = { organizationId: "o", productId: "p" } as CallerProduct["facts"];
  const happened = { nowMs: 1, product, licenseId: null, status: "active", ip: "203.0.113.1" };
  const rest = { deviceId: null, problem: null, facts: null, tracked: false };
  caller.record({ ...happened, ...rest, version: "9".repeat(15_000) });
  caller.record({ ...happened, ...rest, version: "2.1.3" });
  expect(kept.map((entry) => entry[8])).toEqual(["9".repeat(64), "2.1.3"]);
});
