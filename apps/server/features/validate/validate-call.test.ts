import { expect, test } from "bun:test";
import type { CallResult } from "@countersign/store/batches/calls";
import type { JournalEntry } from "@countersign/store/journal";
import { ipAddress } from "@countersign/store/suite/calls";
import { ValidateCall } from "./validate-call.ts";

test("a log entry is short, whatever was sent as the version", async () => {
  const logged: JournalEntry[] = [];
  const start = {
    endpoint: "validate" as const,
    requestId: "r",
    apiKey: { publicId: "p", hash: "h", isTest: false },
    ipAddress: ipAddress("203.0.113.1"),
    startedMs: 0,
    span: null,
    respond: () => {},
    observers: { count: () => {}, took: () => {}, record: (entry: JournalEntry) => void logged.push(entry) },
  };
  const facts = { organizationId: "o", productId: "p", custom: null, trackIp: false };
  const result = {
    tag: "validated",
    caller: { facts, signing: null },
    quota: { limit: null, remaining: 0, resetSeconds: 0 },
    license: null,
    verdict: { valid: false, status: "license_not_found", expiresAtMs: null },
    nowMs: 1,
  } as unknown as CallResult;
  for (const version of ["9".repeat(15_000), "2.1.3"]) {
    const call = new ValidateCall(start, "", { size: 0, submit: () => {} });
    const body = JSON.stringify({ license_key: "A", version });
    call.read(new Request("http://localhost/", { method: "POST", body }));
    while (call.question().kind === "admission") await Bun.sleep(1);
    call.finish(result);
  }
  expect(logged.map((entry) => entry.version)).toEqual(["9".repeat(64), "2.1.3"]);
});
