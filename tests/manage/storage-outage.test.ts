import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { manageRoutes } from "../../apps/server/http/manage/routes.ts";
import { sqlite, type TestDatabase } from "../support/databases.ts";
import { freshDatabase, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { goodPassword, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { mountSmallDisk, whyNoSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(240_000);

/** A database that can be made unavailable and available again. */
interface Breakable {
  readonly database: TestDatabase;
  /** Whether reads fail too. */
  readonly isGone: boolean;
  /** Whether each failure takes a second, so that only a few routes are tested. */
  readonly isSlow?: boolean;
  break(): Promise<void>;
  mend(): Promise<void>;
  /** Undoes what else was prepared. */
  remove?(): Promise<void>;
}

const own = { why: "its database fails" };

describe("management, sign-in and set-up", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  outage("while PostgreSQL is read-only", async () => {
    const setReadOnly = (is: boolean) =>
      withClient(postgres.url, async (client) => {
        await client.query("set default_transaction_read_only = off");
        await client.query(`alter system set default_transaction_read_only = ${is ? "on" : "off"}`);
        await client.query("select pg_reload_conf()");
      });
    return {
      database: inPostgres(await freshDatabase(postgres.url)),
      isGone: false,
      break: () => setReadOnly(true),
      mend: () => setReadOnly(false),
    };
  });

  outage("while PostgreSQL is unavailable", async () => {
    let isStopped = false;
    return {
      database: inPostgres(await freshDatabase(postgres.url)),
      isGone: true,
      break: async () => {
        isStopped = true;
        await postgres.stop();
      },
      mend: async () => {
        if (isStopped) await postgres.start();
        isStopped = false;
      },
    };
  });

  test("answer only 200 or 503 while PostgreSQL restarts", async () => {
    const url = await freshDatabase(postgres.url);
    const fixture = await openSignInFixture(async () => inPostgres(url), own);
    const { browser } = await fixture.createSignedInUser({ admin: true });
    const { body } = await browser.manage("POST", "/organizations", { name: "Acme" });
    const statuses = new Map<number, number>();
    let isOver = false;
    const change = async () => {
      while (!isOver) {
        const { status } = await browser.manage("PATCH", `/organizations/${body.id}`, { name: "Renamed" });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const changing = Array.from({ length: 6 }, change);
    await until("changes are made", () => (statuses.get(200) ?? 0) > 20);
    await postgres.stop();
    await until("requests fail", () => (statuses.get(503) ?? 0) > 0);
    await postgres.start();
    const before = statuses.get(200) ?? 0;
    await until("changes are made again", () => (statuses.get(200) ?? 0) > before + 20, 30_000);
    isOver = true;
    await Promise.all(changing);
    expect([...statuses.keys()].sort()).toEqual([200, 503]);
    expect(fixture.server.output()).not.toContain("in a way it should not");
    await fixture.close();
  });

  outage("while another process has locked SQLite", async () => {
    const database = await sqlite.make();
    const folder = database.environment.COUNTERSIGN_DATA ?? "";
    let other: DatabaseSync | null = null;
    return {
      database,
      isGone: false,
      isSlow: true,
      break: async () => {
        other = new DatabaseSync(join(folder, "countersign.db"));
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
      return {
        database: {
          location: { kind: "sqlite", folder },
          environment: { COUNTERSIGN_DATA: folder },
          remove: () => {},
        },
        isGone: false,
        break: async () => disk.fill(),
        mend: async () => disk.free(),
        remove: async () => disk.remove(),
      };
    });
});

function outage(name: string, make: () => Promise<Breakable>): void {
  test(`${name}, answer 503 with Retry-After and never 500, log one line per cause, and recover`, async () => {
    const breakable = await make();
    const fixture = await openSignInFixture(async () => breakable.database, own);
    try {
      await expectUnavailable(fixture, breakable);
    } finally {
      await breakable.mend().catch(() => undefined);
      await fixture.close();
      await breakable.remove?.();
    }
  });
}

async function expectUnavailable(fixture: SignInFixture, breakable: Breakable): Promise<void> {
  const owner = await fixture.createSignedInUser({ admin: true });
  const visitor = await fixture.createUser();
  const { browser } = owner;
  const organization = await browser.manage("POST", "/organizations", { name: "Acme" });
  expect(organization.status).toBe(201);
  const organizationId = String(organization.body.id);

  const writes: readonly [string, () => Promise<{ status: number; headers: Headers; text: string }>][] = [
    ["create", () => browser.manage("POST", "/organizations", { name: "Another" })],
    ["change", () => browser.manage("PATCH", `/organizations/${organizationId}`, { name: "Renamed" })],
    [
      "create with an idempotency key",
      () =>
        browser.manage(
          "POST",
          `/organizations/${organizationId}/products`,
          { name: "P" },
          {
            "idempotency-key": "one",
          },
        ),
    ],
    ["sign in", () => signIn(fixture, visitor.email)],
  ];
  await breakable.break();
  await until("requests fail", async () => (await writes[0]?.[1]())?.status === 503);
  for (const [what, send] of writes) {
    const { status, headers, text } = await send();
    expect(`${what}: ${status} ${status === 503 ? "" : text}`).toBe(`${what}: 503 `);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  // Every route, with placeholder input: an invalid request must not cause a server error.
  for (const { route } of breakable.isSlow === true ? manageRoutes.slice(0, 20) : manageRoutes) {
    const path = route.path
      .replaceAll("{organization_id}", organizationId)
      .replaceAll(/\{\w+\}/g, organizationId);
    const body = route.method === "GET" || route.method === "DELETE" ? undefined : {};
    const { status } = await browser.manage(route.method, path, body);
    if (status >= 500) expect(`${route.method} ${route.path} ${status}`).toEndWith(" 503");
    if (breakable.isGone) expect(`${route.method} ${path} ${status}`).not.toEndWith(" 200");
  }
  const output = fixture.server.output();
  expect(output).not.toContain("in a way it should not");
  expect(output).not.toContain("no transaction is active");
  const lines = output.split("\n").filter((line) => line.includes("Storage is unavailable"));
  expect(lines.length).toBeGreaterThan(0);
  const causes = lines.map((line) => String(JSON.parse(line).cause));
  expect(causes).toEqual([...new Set(causes)]);
  expect(causes.length).toBeLessThanOrEqual(2);

  await breakable.mend();
  await until("changes succeed again", async () => {
    const { status } = await browser.manage("PATCH", `/organizations/${organizationId}`, { name: "Back" });
    expect([200, 503]).toContain(status);
    return status === 200;
  });
  await until("users can sign in again", async () => (await signIn(fixture, visitor.email)).status === 200);
}

function signIn(fixture: SignInFixture, email: string) {
  return fixture.browser().auth("/sign-in/email", { email, password: goodPassword });
}

function inPostgres(url: string): TestDatabase {
  return { location: { kind: "postgres", url }, environment: { DATABASE_URL: url }, remove: () => {} };
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
