import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { allowLoopback, attemptsAt, deliveriesTo, makeEndpoint, makeEvents } from "../support/webhooks.ts";

setDefaultTimeout(180_000);

for (const { kind, make } of databases) {
  describe(`webhook throughput on ${kind}`, () => {
    const withFixture = async (work: (fixture: ManageFixture) => Promise<void>) => {
      const fixture = await openManageFixture(make, allowLoopback);
      try {
        await work(fixture);
      } finally {
        await fixture.close();
      }
    };
    const withReceiver = async (reply: Receiver["reply"], work: (receiver: Receiver) => Promise<void>) => {
      const receiver = await openReceiver(reply);
      try {
        await work(receiver);
      } finally {
        await receiver.close();
      }
    };

    test("1,500 events reach one healthy endpoint, each once and each recorded", async () => {
      await withFixture(({ store, organizationId }) =>
        withReceiver(
          () => ({ status: 200 }),
          async (receiver) => {
            const { id } = await makeEndpoint(store, organizationId, receiver.url);
            const events = await makeEvents(store, organizationId, 1_500);
            // How long that takes, the benchmark measures.
            await until("all have arrived", () => receiver.received.length >= events.length, 55_000);
            await until("all are delivered", async () =>
              (await deliveriesTo(store, id)).every((row) => row.state === "delivered"),
            );
            expect(new Set(receiver.received.map((request) => request.id)).size).toBe(events.length);
            expect(receiver.received.length).toBe(events.length);
            expect((await attemptsAt(store, id)).length).toBe(events.length);
          },
        ),
      );
    });

    test("one organization's backlog does not delay another organization's event", async () => {
      await withFixture(({ store, organizationId, database }) =>
        withReceiver(
          () => ({ status: 200 }),
          async (receiver) => {
            for (let number = 0; number < 5; number++)
              await makeEndpoint(store, organizationId, `${receiver.url}/crowd`);
            const other = await openTestOrganization(database.location, { store });
            const alone = await makeEndpoint(store, other.organizationId, `${receiver.url}/alone`);
            await makeEvents(store, organizationId, 10_000);
            await makeEvents(store, other.organizationId, 1);
            await until(
              "the other organization's event arrives",
              () => receiver.received.some((request) => request.path === "/alone"),
              30_000,
            );
            const [delivery] = await deliveriesTo(store, alone.id);
            const { earlier } = await store.reads
              .selectFrom("deliveries")
              .select((row) => row.fn.count<number>("event_id").distinct().as("earlier"))
              .where("organization_id", "=", organizationId)
              .where("created_at", "<", delivery?.created_at ?? 0)
              .executeTakeFirstOrThrow();
            // In order of age, all 10,000 would have been distributed first.
            expect(Number(earlier)).toBeLessThan(7_000);
          },
        ),
      );
    });

    test("an endpoint that stops responding with a backlog releases its claims", async () => {
      await withFixture(({ store, organizationId }) => {
        let answered = 0;
        return withReceiver(
          ({ path }) => (path === "/well" || ++answered <= 100 ? { status: 200 } : "hang"),
          async (receiver) => {
            const silent = await makeEndpoint(store, organizationId, `${receiver.url}/silent`);
            await makeEvents(store, organizationId, 1_000);
            await until("it stops responding", () => answered > 100);
            const well = await makeEndpoint(store, organizationId, `${receiver.url}/well`);
            await makeEvents(store, organizationId, 200);
            await until(
              "the healthy endpoint has all events",
              async () => (await deliveriesTo(store, well.id)).every((row) => row.state === "delivered"),
              10_000,
            );
            await until("only what is being sent is claimed", async () => {
              const claimed = (await deliveriesTo(store, silent.id)).filter((row) => row.claimed_by !== null);
              return claimed.length <= 33;
            });
          },
        );
      });
    });
  });
}
