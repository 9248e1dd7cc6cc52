import { expect, setDefaultTimeout, test } from "bun:test";
import { failOver } from "./fail-over.ts";

setDefaultTimeout(180_000);

test("a standby takes over from a primary killed under load, and no acknowledged write is lost", async () => {
  expect(await failOver({ callers: 8, recoversWithinMs: 30_000 })).toContain("answered again");
});
