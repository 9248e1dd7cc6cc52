import { expect, test } from "bun:test";
import { emailRow, waitingEmailRow } from "../../../../tests/support/emails.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { makeDeliveries, newEndpoint } from "../../../../tests/support/webhooks.ts";
import type { OutboxRow } from "../../tables/platform.ts";
import * as outbox from "../mail/outbox.ts";
import * as waitingEmails from "../mail/waiting-emails.ts";
import * as waitingWork from "./waiting-work.ts";

const nowMs = Date.UTC(2030, 5, 1);
const many = 1_000_000;

onBothDatabases("the amount of work that waits", (fixture) => {
  const { read, write } = fixture.queries({ ...outbox, ...waitingEmails, ...waitingWork });

  test("deliveries count until they are complete, up to a limit", async () => {
    const owner = await newEndpoint(fixture);
    const before = await read.countPendingDeliveries(many);
    const states = ["pending", "pending", "delivered", "failed"] as const;
    await makeDeliveries(
      owner,
      states.map((state) => ({ state })),
    );
    expect(await read.countPendingDeliveries(many)).toBe(before + 2);
    expect(await read.countPendingDeliveries(1)).toBe(1);
  });

  test("emails count until they are sent or given up, to people and to customers", async () => {
    await fixture.write((db) => db.deleteFrom("outbox").execute());
    const emails: Partial<OutboxRow>[] = [
      {},
      { is_bulk: 1 },
      { next_attempt_at: nowMs + 60_000, attempts: 3 },
      { sent_at: nowMs, next_attempt_at: null },
      { failure: "{}", next_attempt_at: null },
      { created_at: nowMs - 5 },
    ];
    await write.addEmails(emails.map((settings) => emailRow({ created_at: nowMs, ...settings })));
    expect(await read.countUnsentEmails(nowMs - 5, many)).toBe(3);
    expect(await read.countUnsentEmails(0, 2)).toBe(2);
  });

  test("emails that wait for another day count, up to a limit", async () => {
    const before = await read.countDelayedEmails(many);
    await write.addWaitingEmails([waitingEmailRow(), waitingEmailRow()]);
    expect(await read.countDelayedEmails(many)).toBe(before + 2);
    expect(await read.countDelayedEmails(1)).toBe(1);
  });
});
