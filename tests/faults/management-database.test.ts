import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { openCuttableConnection } from "../support/cuttable-connection.ts";
import { postgres, type TestDatabase } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { freshDatabase, startPostgres } from "../support/postgres.ts";
import { openReceiver } from "../support/receiver.ts";
import { until, within } from "../support/until.ts";
import { allowLoopback, makeEndpoint } from "../support/webhooks.ts";
import { holdLock } from "./locked-rows.ts";

setDefaultTimeout(180_000);

describe("while another session of PostgreSQL locks a license", () => {
  test("changes to it get 503, and other management requests and webhooks continue", async () => {
    const fixture = await openManageFixture(postgres.make, {
      why: "its database is stopped",
      environment: allowLoopback,
    });
    const receiver = await openReceiver();
    await makeEndpoint(fixture.store, fixture.organizationId, receiver.url);
    const [locked, other] = [await newLicense(fixture), await newLicense(fixture)];
    await until("the endpoint works", () => receiver.received.length >= 2);
    const holder = await holdLock(urlOf(fixture), "select 1 from licenses where id = $1 for update", [
      locked,
    ]);
    try {
      const startedMs = performance.now();
      const changes = Array.from({ length: 6 }, (_, index) =>
        fixture.owner.api.patch(`/licenses/${locked}`, { notes: `Change ${index}` }),
      );
      const others = Array.from({ length: 20 }, async (_, index) => {
        const read = await fixture.owner.api.get(`/licenses/${other}`);
        const written = await fixture.owner.api.patch(`/licenses/${other}`, { notes: `Note ${index}` });
        return [read.status, written.status];
      });
      const before = receiver.received.length;
      expect(await within(20_000, "other management continues", Promise.all(others))).toEqual(
        others.map(() => [200, 200]),
      );
      await until("webhooks continue", () => receiver.received.length > before);
      for (const answer of await within(20_000, "the changes are answered", Promise.all(changes))) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get("retry-after")).toBe("1");
      }
      expect(performance.now() - startedMs).toBeLessThan(20_000);
      expect(fixture.server.output()).not.toContain("in a way it should not");
    } finally {
      await holder.release();
    }
    expect((await fixture.owner.api.patch(`/licenses/${locked}`, { notes: "Free" })).status).toBe(200);
    await receiver.close();
    await fixture.close();
  });
});

describe("connections to PostgreSQL that fall silent", () => {
  test("are detected by webhook delivery, which logs it and continues with new connections", async () => {
    const { fixture, wire } = await wiredFixture();
    const receiver = await openReceiver();
    await makeEndpoint(fixture.store, fixture.organizationId, receiver.url);
    wire.cut();
    await until(
      "the log says that storage cannot be used",
      () => fixture.server.output().includes("Storage is unavailable."),
      60_000,
    );
    wire.mend();
    await until("management continues", async () => (await tryNewLicense(fixture)) !== null, 60_000);
    await until("webhooks continue", () => receiver.received.length > 0, 60_000);
    expectJsonLines(fixture.server.output());
    await fixture.close();
    wire.close();
    await receiver.close();
  });

  test("do not keep the server from stopping within ten seconds", async () => {
    const { fixture, wire } = await wiredFixture();
    await newLicense(fixture);
    wire.cut();
    // In progress when the server is asked to stop.
    const asking = fixture.owner.api.get(`/organizations/${fixture.organizationId}`).catch(() => null);
    const startedMs = performance.now();
    expect(await within(20_000, "the server ends", fixture.server.stop())).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(12_000);
    expectJsonLines(fixture.server.output());
    await asking;
    wire.mend();
    await fixture.close();
    wire.close();
  });
});

describe("a PostgreSQL restart during management transactions", () => {
  test("causes no unhandled error, and the server stops in order", async () => {
    const server = await startPostgres();
    const url = await freshDatabase(server.url);
    const fixture = await openManageFixture(
      async () => ({
        location: { kind: "postgres", url },
        environment: { DATABASE_URL: url },
        remove: () => {},
      }),
      { why: "its database is stopped" },
    );
    const licenses = await Promise.all(Array.from({ length: 8 }, () => newLicense(fixture)));
    let isOver = false;
    let changes = 0;
    const changing = licenses.map(async (id) => {
      while (!isOver) {
        const path = `${fixture.server.url}/api/manage/v1/licenses/${id}`;
        const headers = {
          authorization: `Bearer ${fixture.owner.token}`,
          "content-type": "application/json",
        };
        const answer = await fetch(path, {
          method: "PATCH",
          headers,
          body: JSON.stringify({ notes: String(changes) }),
        });
        if (answer.status === 200) changes += 1;
        await answer.text();
      }
    });
    try {
      for (let restart = 0; restart < 3; restart++) {
        const enough = changes + 100;
        await until("there are changes", () => changes >= enough, 60_000);
        await server.stop();
        await server.start();
      }
      const enough = changes + 50;
      await until("changes continue", () => changes >= enough, 60_000);
    } finally {
      isOver = true;
      await Promise.all(changing);
    }
    expect(await within(30_000, "the server ends", fixture.server.stop())).toBe(0);
    expectJsonLines(fixture.server.output());
    await fixture.close();
    await server.stop();
  });
});

async function wiredFixture() {
  const database: TestDatabase = await postgres.make();
  const direct = new URL(database.location.kind === "postgres" ? database.location.url : "");
  const wire = await openCuttableConnection(Number(direct.port));
  const wired = new URL(direct);
  wired.port = String(wire.port);
  const environment = { ...database.environment, DATABASE_URL: wired.href };
  const fixture = await openManageFixture(async () => ({ ...database, environment }), {
    why: "its database is stopped",
    environment: allowLoopback,
  });
  return { fixture, wire };
}

async function newLicense(fixture: ManageFixture): Promise<string> {
  const id = await tryNewLicense(fixture);
  if (id === null) throw new Error("A license could not be created.");
  return id;
}

async function tryNewLicense({ owner, productId }: ManageFixture): Promise<string | null> {
  const answer = await owner.api.post(`/products/${productId}/licenses`, {
    customer_email: "ada@example.com",
  });
  return answer.status === 201 ? String(answer.body.id) : null;
}

function urlOf({ database }: ManageFixture): string {
  return database.location.kind === "postgres" ? database.location.url : "";
}

/** Uncaught errors of libraries are printed without a format. */
function expectJsonLines(output: string): void {
  const others = output
    .split("\n")
    .filter((line) => line !== "" && !(line.startsWith("{") && line.endsWith("}")));
  expect(others).toEqual([]);
}
