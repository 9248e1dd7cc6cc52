import { expect, test } from "bun:test";
import { helpFor } from "./field-help.ts";

test("each sentence is said once, at the first field that it is about", () => {
  expect(helpFor(["license_key", "max_ips", null, "ips", "status", "tags", "revoked_at"])).toEqual([
    { topic: "ipLimit", field: "max_ips" },
    { topic: "revoked", field: "status" },
  ]);
});

test("what validate does not look at needs no help", () => {
  expect(helpFor(["license_key", "notes", "created_at", null])).toEqual([]);
});
