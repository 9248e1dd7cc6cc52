import { expect, test } from "bun:test";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { WaitingWork } from "./waiting-work.ts";

onDatabase("sqlite", "waiting work", (fixture) => {
  test("it is counted at the start, so that the first scrape has every series", async () => {
    const waiting = new WaitingWork(fixture.store, true);
    // Waits for the count in progress, and lets none begin.
    await waiting.close();
    expect(waiting.counts).toEqual({
      deliveries: expect.any(Number),
      emails: expect.any(Number),
      delayedEmails: expect.any(Number),
    });
  });
});
