import { expect, test } from "bun:test";
import { helpFor } from "./columns.ts";

test("each help topic is shown once, at its first field", () => {
  expect(helpFor(["license_key", "max_ips", null, "ips", "status", "tags", "revoked_at"])).toEqual([
    { topic: "ipLimit", field: "max_ips" },
    { topic: "revoked", field: "status" },
  ]);
});

test("fields that do not affect validation have no help", () =>
  expect(helpFor(["license_key", "notes", "created_at", null])).toEqual([]));
