import { expect, test } from "bun:test";
import { emailRow, waitingEmailRow } from "../../../../tests/support/emails.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { makeEndpoint } from "../../../../tests/support/webhooks.ts";
import type { DeliveryRow, OutboxRow } from "../../tables.ts";
import { addEmails } from "../mail/outbox.ts";
import { addWaitingEmails } from "../mail/waiting-emails.ts";
import { countDelayedEmails, countPendingDeliveries, countUnsentEmails } from "./waiting-work.ts";

const nowMs = Date.UTC(2030, 5, 1);
const many = 1_000_000;

onBothDatabases("the amount of work that waits", (fixture) => {
  const { write } = fixture;

  test("deliveries count until they are complete, up to a limit", async () => {
    const { organizationId } = await fixture.organization();
    const { id: endpointId } = await makeEndpoint(fixture.store, organizationId, "https://hooks.example.com");
    const before = await countPendingDeliveries(fixture.reads, many);
    const delivery = (state: DeliveryRow["state"]): DeliveryRow => ({
      id: newId(),
      organization_id: organizationId,
      endpoint_id: endpointId,
      event_id: newId(),
      event_type: "license.created",
      state,
      attempts: 1,
      next_attempt_at: state === "pending" ? nowMs : null,
      claimed_by: null,
      claimed_until: null,
      last_status: null,
      created_at: nowMs,
      finished_at: state === "pending" ? null : nowMs,
    });
    const deliveries = [delivery("pending"), delivery("pending"), delivery("delivered"), delivery("failed")];
    await write((db) => db.insertInto("deliveries").values(deliveries).execute());
    expect(await countPendingDeliveries(fixture.reads, many)).toBe(before + 2);
    expect(await countPendingDeliveries(fixture.reads, 1)).toBe(1);
  });

  test("emails count until they are sent or given up, to people and to customers", async () => {
    await write((db) => db.deleteFrom("outbox").execute());
    const emails: Partial<OutboxRow>[] = [
      {},
      { is_bulk: 1 },
      { next_attempt_at: nowMs + 60_000, attempts: 3 },
      { sent_at: nowMs, next_attempt_at: null },
      { failure: "{}", next_attempt_at: null },
      { created_at: nowMs - 5 },
    ];
    const rows = emails.map((settings) => emailRow({ created_at: nowMs, ...settings }));
    await write((db) => addEmails(db, rows));
    expect(await countUnsentEmails(fixture.reads, nowMs - 5, many)).toBe(3);
    expect(await countUnsentEmails(fixture.reads, 0, 2)).toBe(2);
  });

  test("emails that wait for another day count, up to a limit", async () => {
    const before = await countDelayedEmails(fixture.reads, many);
    await write((db) => addWaitingEmails(db, [waitingEmailRow(), waitingEmailRow()]));
    expect(await countDelayedEmails(fixture.reads, many)).toBe(before + 2);
    expect(await countDelayedEmails(fixture.reads, 1)).toBe(1);
  });
});
