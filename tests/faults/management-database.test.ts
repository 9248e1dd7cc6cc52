import { expect, setDefaultTimeout, test } from "bun:test";
import { openCuttableConnection } from "../support/cuttable-connection.ts";
import { postgres } from "../support/databases.ts";
import type { ManageAnswer } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver } from "../support/receiver.ts";
import { until, within } from "../support/until.ts";
import { makeEndpoint } from "../support/webhooks.ts";
import { holdLock } from "./hold-lock.ts";
import { holdsOnlyJsonLines } from "./postgres-outage.ts";

setDefaultTimeout(180_000);

// Most of the time of each test is a wait for timeouts, so they run at the same time.
test.concurrent("while another session of PostgreSQL locks a license, changes to it get 503, and everything else continues", async () => {
  const { fixture, url } = await wiredFixture();
  const { api } = fixture.owner;
  // Requests of one client wait for each other once several of them are stuck.
  const colleague = await fixture.member(["licenses:view", "licenses:update"]);
  const receiver = await openReceiver();
  await makeEndpoint(fixture.store, fixture.organizationId, receiver.url);
  const [locked, other] = [await newLicense(fixture), await newLicense(fixture)];
  await until("the endpoint works", () => receiver.received.length >= 2);
  const holder = await holdLock(url, `select 1 from licenses where id = '${locked}' for update`);
  try {
    const changes = Array.from({ length: 4 }, (_, index) =>
      api.patch(`/licenses/${locked}`, { notes: `Change ${index}` }),
    );
    const others = Array.from({ length: 20 }, async (_, index) => {
      const read = await patiently(() => colleague.api.get(`/licenses/${other}`));
      const written = await patiently(() =>
        colleague.api.patch(`/licenses/${other}`, { notes: `Note ${index}` }),
      );
      return [read.status, written.status];
    });
    const before = receiver.received.length;
    const statuses = await within(20_000, "other management continues", Promise.all(others));
    expect(statuses).toEqual(others.map(() => [200, 200]));
    await until("webhooks continue", () => receiver.received.length > before);
    for (const answer of await within(20_000, "the changes are answered", Promise.all(changes)))
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    holdsOnlyJsonLines(fixture.server.output());
  } finally {
    await holder.release();
  }
  expect((await api.patch(`/licenses/${locked}`, { notes: "Free" })).status).toBe(200);
  await receiver.close();
  await fixture.close();
});

test.concurrent("connections to PostgreSQL that fall silent are detected by webhook delivery, which continues with new ones", async () => {
  const { fixture, wire } = await wiredFixture();
  const receiver = await openReceiver();
  await makeEndpoint(fixture.store, fixture.organizationId, receiver.url);
  wire.cut();
  const isLogged = () => fixture.server.output().includes("Storage is unavailable.");
  await until("the log says that storage cannot be used", isLogged, 60_000);
  wire.mend();
  await until("management continues", async () => (await newLicense(fixture)) !== null, 60_000);
  await until("webhooks continue", () => receiver.received.length > 0, 60_000);
  holdsOnlyJsonLines(fixture.server.output());
  await fixture.close();
  wire.close();
  await receiver.close();
});

test.concurrent("connections to PostgreSQL that fall silent do not keep the server from stopping within ten seconds", async () => {
  const { fixture, wire } = await wiredFixture();
  await newLicense(fixture);
  wire.cut();
  // In progress when the server is asked to stop.
  const asking = fixture.owner.api.get(`/organizations/${fixture.organizationId}`).catch(() => null);
  const startedMs = performance.now();
  expect(await within(20_000, "the server ends", fixture.server.stop())).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(12_000);
  holdsOnlyJsonLines(fixture.server.output());
  await asking;
  wire.mend();
  await fixture.close();
  wire.close();
});

/** A server whose connections to the database can be cut. The tests themselves are connected directly. */
async function wiredFixture() {
  const database = await postgres.make();
  const url = database.environment.DATABASE_URL ?? "";
  const wire = await openCuttableConnection(Number(new URL(url).port));
  const environment = { ...database.environment, DATABASE_URL: wire.through(url) };
  const own = { why: "its database cannot be reached" };
  return { fixture: await openManageFixture(async () => ({ ...database, environment }), own), wire, url };
}

/** Sends a request again while so many wait for the connections that are left, as the response asks for. */
async function patiently(send: () => Promise<ManageAnswer>): Promise<ManageAnswer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503 || answer.body.code !== "server_busy") return answer;
    await Bun.sleep(Number(answer.headers.get("retry-after")) * 1_000);
  }
}

/** Null while none can be created. */
async function newLicense({ owner, productId }: ManageFixture): Promise<string | null> {
  const customer = { customer_email: "ada@example.com" };
  const answer = await owner.api.post(`/products/${productId}/licenses`, customer);
  return answer.status === 201 ? String(answer.body.id) : null;
}
