import { expect, setDefaultTimeout, test } from "bun:test";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { postgres } from "../support/databases.ts";
import { openReceiver } from "../support/receiver.ts";
import { openSeller } from "../support/seller.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { allowLoopback, deliveriesTo, makeEndpoint, makeEvents } from "../support/webhooks.ts";

setDefaultTimeout(120_000);

test("with three servers on one database every event is distributed and sent once", async () => {
  const database = await postgres.make();
  const { store, organizationId } = await openSeller(database.location);
  const receiver = await openReceiver();
  const servers = await Promise.all(
    [1, 2, 3].map(() => startServerProcess({ ...database.environment, ...allowLoopback })),
  );
  try {
    const { id } = await makeEndpoint(store, organizationId, receiver.url);
    const events = await makeEvents(store, organizationId, 300);
    await until(
      "all is delivered",
      async () => {
        const rows = await deliveriesTo(store, id);
        return rows.length === 300 && rows.every((row) => row.state === "delivered");
      },
      60_000,
    );
    expect(receiver.received.map((request) => request.id).toSorted()).toEqual(
      events.map(webhookId).toSorted(),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await receiver.close();
    await store.close();
    database.remove();
  }
});
