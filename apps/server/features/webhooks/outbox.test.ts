import { expect, setDefaultTimeout, test } from "bun:test";
import { noAllowedTargets, parseAllowedTargets } from "@countersign/domain/webhooks/allowed-targets";
import type { Store } from "@countersign/store/store";
import { sqlite } from "../../../../tests/support/databases.ts";
import { openReceiver } from "../../../../tests/support/receiver.ts";
import { openTestOrganization } from "../../../../tests/support/test-organization.ts";
import { until } from "../../../../tests/support/until.ts";
import { attemptsAt, deliveriesTo, makeEndpoint, makeEvents } from "../../../../tests/support/webhooks.ts";
import { JobRuns } from "../../jobs/job-runs.ts";
import { Outbox, webhookSender } from "./outbox.ts";

setDefaultTimeout(120_000);

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

test("at full speed each event arrives and is recorded once, and SQLite's write lock is never held for long", async () => {
  const database = await sqlite.make();
  const { store, organizationId } = await openTestOrganization(database.location);
  const receiver = await openReceiver(() => ({ status: 200, body: "x".repeat(2_000) }));
  const urls = ["/1", "/2", "/3"].map((path) => receiver.url + path);
  const endpoints = await Promise.all(urls.map((url) => makeEndpoint(store, organizationId, url)));
  const data = JSON.stringify({ notes: "n".repeat(2_000) });
  const events = await makeEvents(store, organizationId, 400, { data });
  const heldMs: number[] = [];
  const transaction: Store["transaction"] = (work, lasting) =>
    store.transaction(async (db) => {
      const started = process.cpuUsage();
      const value = await work(db);
      const { user, system } = process.cpuUsage(started);
      heldMs.push((user + system) / 1_000);
      return value;
    }, lasting);
  const timed = new Proxy(store, {
    get: (target, name) => {
      if (name === "transaction") return transaction;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const loopback = parseAllowedTargets("127.0.0.1");
  const sender = webhookSender(loopback.ok ? loopback.allowed : noAllowedTargets);
  const outbox = new Outbox(timed, "http://127.0.0.1", sender, quiet, new JobRuns("test"));
  try {
    await until("all have arrived", () => receiver.received.length >= 3 * events.length, 60_000);
    await outbox.close();
    const arrived = new Set(receiver.received.map(({ path, id }) => `${path} ${id}`));
    expect([arrived.size, receiver.received.length]).toEqual([3 * events.length, 3 * events.length]);
    for (const { id } of endpoints) {
      expect((await deliveriesTo(store, id)).every((row) => row.state === "delivered")).toBe(true);
      expect(await attemptsAt(store, id)).toHaveLength(events.length);
    }
  } finally {
    await outbox.close();
    await receiver.close();
    await store.close();
    database.remove();
  }
  heldMs.sort((a, b) => a - b);
  // In processor time, which other work of the machine does not lengthen. Deliveries of this process still do.
  expect(heldMs[Math.floor(heldMs.length * 0.95)]).toBeLessThan(100);
});
