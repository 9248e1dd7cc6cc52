import { expect, test } from "bun:test";
import type { JournalEntry } from "@countersign/store/journal";
import { entriesMessage, entriesOf } from "./entries-message.ts";

test("a log entry arrives on the other thread as it was sent, every member in its place", () => {
  const sent: JournalEntry = {
    ...{ at: 1, id: "id", organization_id: "organization", product_id: "product", license_id: "license" },
    ...{ endpoint: "lookup", status: "found", ip: "192.0.2.1", version: "1.2", device_id: "device" },
    ...{ problem: "problem", duration_us: 2, count: 3, sandbox: 1, facts: "{}", tracked: true },
  };
  const other: JournalEntry = { ...sent, license_id: null, version: null, facts: null, tracked: false };
  expect(entriesOf(entriesMessage([sent, other]))).toEqual([sent, other]);
  expect(entriesMessage([sent])).not.toContain("organization_id");
});
