import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { manageRoutes } from "../../apps/server/threads/routes.ts";
import { openCuttableConnection } from "../support/cuttable-connection.ts";
import { postgres, sqlite, type TestDatabase } from "../support/databases.ts";
import { withClient } from "../support/postgres.ts";
import { openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { mountSmallDisk, whyNoSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(240_000);

/** A database that can be made unavailable and available again. */
interface Breakable {
  readonly database: TestDatabase;
  /** Whether reads fail too. */
  readonly isGone?: true;
  /** Whether each failure takes a second, so that only a few routes are tested. */
  readonly isSlow?: true;
  break(): Promise<void>;
  mend(): Promise<void>;
  /** Undoes what else was prepared. */
  remove?(): void;
}

/** `tests/faults` has a PostgreSQL that really stops. */
outage("while PostgreSQL is read-only", async () => {
  const database = await postgres.make();
  const setReadOnly = (is: boolean) =>
    withClient(database.environment.DATABASE_URL ?? "", async (client) => {
      await client.query("set default_transaction_read_only = off");
      const { rows } = await client.query("select current_database() as name");
      const value = is ? "on" : "off";
      await client.query(`alter database ${rows[0].name} set default_transaction_read_only = ${value}`);
      // Only new connections have the setting.
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
    });
  return { database, break: () => setReadOnly(true), mend: () => setReadOnly(false) };
});

outage("while PostgreSQL refuses connections", async () => {
  const database = await postgres.make();
  const wired = new URL(database.environment.DATABASE_URL ?? "");
  const wire = await openCuttableConnection(Number(wired.port));
  wired.port = String(wire.port);
  const environment = { ...database.environment, DATABASE_URL: wired.href };
  const wiredDatabase = { ...database, environment };
  return { database: wiredDatabase, isGone: true, break: wire.refuse, mend: wire.accept, remove: wire.close };
});

outage("while another process has locked SQLite", async () => {
  const database = await sqlite.make();
  const path = join(database.environment.COUNTERSIGN_DATA ?? "", "countersign.db");
  let other: DatabaseSync | null = null;
  return {
    database,
    isSlow: true,
    break: async () => {
      other = new DatabaseSync(path);
      other.exec("pragma busy_timeout = 5000; begin immediate");
    },
    mend: async () => {
      other?.close();
      other = null;
    },
  };
});

const noDisk = whyNoSmallDisk();
if (noDisk !== null) skipWithReason("while the disk of SQLite is full", noDisk);
else
  outage("while the disk of SQLite is full", async () => {
    const disk = mountSmallDisk();
    const folder = join(disk.folder, "data");
    mkdirSync(folder);
    const environment = { COUNTERSIGN_DATA: folder };
    const database = { location: { kind: "sqlite", folder } as const, environment, remove: () => {} };
    const [fill, free] = [async () => disk.fill(), async () => disk.free()];
    return { database, break: fill, mend: free, remove: disk.remove };
  });

function outage(name: string, make: () => Promise<Breakable>): void {
  test(`${name}, management and sign-in answer 503 with Retry-After and never 500, log one line per cause, and recover`, async () => {
    const breakable = await make();
    const fixture = await openSignInFixture(async () => breakable.database, { why: "its database fails" });
    try {
      await expectUnavailable(fixture, breakable);
    } finally {
      await breakable.mend().catch(() => undefined);
      await fixture.close();
      breakable.remove?.();
    }
  });
}

async function expectUnavailable(fixture: SignInFixture, breakable: Breakable): Promise<void> {
  const { browser, email } = await fixture.createSignedInUser({ admin: true });
  const signIn = () => fixture.signIn(email);
  const organization = await browser.manage("POST", "/organizations", { name: "Acme" });
  const organizationId = String(organization.body.id);
  const path = `/organizations/${organizationId}`;
  const key = { "idempotency-key": "one" };

  await breakable.break();
  const create = () => browser.manage("POST", "/organizations", { name: "Another" });
  await until("requests fail", async () => (await create()).status === 503);
  for (const answer of [
    await create(),
    await browser.manage("PATCH", path, { name: "Renamed" }),
    await browser.manage("POST", `${path}/products`, { name: "P" }, key),
    await signIn(),
  ]) {
    expect(answer.status, answer.text).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  // Every route, with placeholder input: an invalid request must not cause a server error.
  for (const { route } of breakable.isSlow ? manageRoutes.slice(0, 10) : manageRoutes) {
    const target = route.path.replaceAll(/\{\w+\}/g, organizationId);
    const body = route.method === "GET" || route.method === "DELETE" ? undefined : {};
    const { status } = await browser.manage(route.method, target, body);
    if (status >= 500) expect(`${route.method} ${route.path} ${status}`).toEndWith(" 503");
    if (breakable.isGone) expect(`${route.method} ${target} ${status}`).not.toEndWith(" 200");
  }
  const output = fixture.server.output();
  expect(output).not.toContain("in a way it should not");
  expect(output).not.toContain("no transaction is active");
  const lines = output.split("\n").filter((line) => line.includes("Storage is unavailable"));
  const causes = lines.map((line) => JSON.parse(line).cause);
  expect(causes).toEqual([...new Set(causes)]);
  expect(causes.length).toBeWithin(1, 3);

  await breakable.mend();
  await until("changes succeed again", async () => {
    const { status } = await browser.manage("PATCH", path, { name: "Back" });
    expect([200, 503]).toContain(status);
    return status === 200;
  });
  await until("users can sign in again", async () => (await signIn()).status === 200);
}
