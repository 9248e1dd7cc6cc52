import { expect, setDefaultTimeout, test } from "bun:test";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { postgres } from "../support/databases.ts";
import { openReceiver } from "../support/receiver.ts";
import { startServerProcess } from "../support/server-process.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { allowLoopback, deliveriesTo, makeEndpoint, makeEvents } from "../support/webhooks.ts";

setDefaultTimeout(120_000);

test("three servers on one database distribute and send every event once", async () => {
  const database = await postgres.make();
  const { store, organizationId } = await openTestOrganization(database.location);
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
    const rows = await deliveriesTo(store, id);
    expect(rows.map((row) => row.event_id).toSorted()).toEqual(events.toSorted());
    // Under load a request or its response may be late, which causes another attempt.
    const arrived = (eventId: string) =>
      receiver.received.filter(({ id }) => id === webhookId(eventId)).length;
    const wrong = rows.filter((row) => {
      const times = arrived(row.event_id);
      return times < 1 || times > row.attempts;
    });
    expect(wrong).toEqual([]);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await receiver.close();
    await store.close();
    database.remove();
  }
});

test("three servers on one database probe a due disabled endpoint once", async () => {
  const database = await postgres.make();
  const { store, organizationId } = await openTestOrganization(database.location);
  const receiver = await openReceiver(() => ({ status: 500 }));
  const servers = await Promise.all(
    [1, 2, 3].map(() => startServerProcess({ ...database.environment, ...allowLoopback })),
  );
  try {
    const disabled = { status: "disabled", disabled_reason: "failing", disabled_at: Date.now() } as const;
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        const settings = { ...disabled, next_probe_at: Date.now() - 1 };
        return (await makeEndpoint(store, organizationId, `${receiver.url}/${number}`, settings)).id;
      }),
    );
    const tried = async () => {
      const rows = await store.reads.selectFrom("webhook_endpoints").select("probes").execute();
      return rows.reduce((sum, row) => sum + row.probes, 0);
    };
    await until("all are probed", async () => (await tried()) >= ids.length);
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    expect(await tried()).toBe(ids.length);
    expect(receiver.received.map((request) => request.path).toSorted()).toEqual(
      ids.map((_, number) => `/${number}`).toSorted(),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await receiver.close();
    await store.close();
    database.remove();
  }
});
