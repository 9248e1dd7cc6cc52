import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { isCopied } from "@countersign/store/copy-format";
import { copyDatabase } from "@countersign/store/databases/copy";
import { type DatabaseLocation, openStore } from "@countersign/store/databases/open";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import type { Store } from "@countersign/store/store";
import { sql } from "kysely";
import { apiOf } from "../../../tests/support/api.ts";
import {
  databases,
  freshFolder,
  postgres,
  type TestDatabase,
  type TestedDatabase,
} from "../../../tests/support/databases.ts";
import { openTestJournal } from "../../../tests/support/journal.ts";
import { insertSession } from "../../../tests/support/people-rows.ts";
import { withClient } from "../../../tests/support/postgres.ts";
import { openReceiver } from "../../../tests/support/receiver.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { spawnCountersign, startServerProcess } from "../../../tests/support/server-process.ts";
import { mountSmallDisk, whyNoSmallDisk } from "../../../tests/support/small-disk.ts";
import { newId, openTestOrganization } from "../../../tests/support/test-organization.ts";
import { until } from "../../../tests/support/until.ts";
import { allowLoopback, makeDelivery, makeEndpoint } from "../../../tests/support/webhooks.ts";
import { tablesOf } from "../../../tests/support/whole-database.ts";

setDefaultTimeout(60_000);

const manyLicenses = 6_000;
const dayMs = 86_400_000;
const failure = (stderr: RegExp) => ({ code: 1, stderr: expect.stringMatching(stderr) });

describe.each(databases)("copies from $kind", (kind) => {
  const other = databases.find((one) => one.kind !== kind.kind) ?? postgres;
  const filled = fill(kind);

  test.each(databases)(
    "to $kind are the same, row by row, also if they are stopped after every batch",
    async (to) => {
      const [source, target] = [await filled, await to.makeEmpty()];
      const batches: number[] = [];
      let rows = new Map<string, number>();
      let result: Awaited<ReturnType<typeof copyDatabase>> | null = null;
      // Stopping after each batch of 70 tables takes long; every third is enough to meet all kinds of states.
      for (let run = 0; result === null && run < 10; run++) {
        let left = 3;
        const before = rows;
        rows = new Map();
        result = await copyDatabase(source.location, target.location, {
          encryptionKey: null,
          onProgress: (table, copied) => {
            batches.push(copied - (rows.get(table) ?? before.get(table) ?? 0));
            rows = new Map([...before, ...rows]).set(table, copied);
            left -= 1;
            if (left === 0 && run < 6) throw new Error("stopped");
          },
        }).catch((error: unknown) => {
          expect(String(error)).toContain("Run the same command again");
          return null;
        });
      }
      expect(result).toMatchObject({ isComplete: true });
      expect(result?.tables.filter(({ isSame }) => !isSame)).toEqual([]);
      expect(result?.resumedRows).toBeGreaterThan(0);
      // Memory depends on the batches, not on the table.
      expect(Math.max(...batches)).toBeLessThanOrEqual(5_000);
      const expected = await contents(source.location);
      expect(await contents(target.location)).toEqual(expected);
      expect(Object.keys(expected).filter((name) => /^request_log_\d{8}$/.test(name))).toHaveLength(2);
      expect(expected.licenses).toHaveLength(manyLicenses + 2);
      expect(await schema(target.location)).toEqual(await schema((await fresh(to)).location));
      const doctor = await runHere(["doctor", "--json"], target.environment);
      expect(doctor.stdout).not.toContain('"error"');
    },
  );

  test(`a copy to ${other.kind} that is killed cannot be served, and the same command completes it`, async () => {
    const [source, target] = [await filled, await other.makeEmpty()];
    const words = ["copy", "--from", nameOf(source), "--to", nameOf(target), "--json"];
    const first = spawnCountersign(words, {});
    await until("some licenses are copied", async () => (await copiedLicenses(target)) > 0);
    first.child.kill("SIGKILL");
    await first.ended;
    const refused = await runHere(["migrate"], target.environment);
    expect(refused).toMatchObject(failure(/^This database is an unfinished copy\. Run the same .*\n$/));
    const another = await fresh(kind);
    await runHere(["setup", "--organization", "A", "--product", "B"], another.environment);
    const wrong = await runHere(["copy", "--from", nameOf(another), "--to", nameOf(target)]);
    expect(wrong).toMatchObject(failure(/unfinished copy of another installation/));
    // What changed in between is copied too.
    const late = await inStore(source.location, async (store) => {
      const [id = ""] = await addLicenses(store, source, [newId().toUpperCase()]);
      await store.transaction((db) =>
        db
          .updateTable("organizations")
          .set({ name: "Renamed" })
          .where("id", "=", source.organizationId)
          .execute(),
      );
      return id;
    });
    const second = await runHere(words);
    expect(second).toMatchObject({ code: 0, stderr: "" });
    const { complete, resumed_rows: resumed, tables } = JSON.parse(second.stdout);
    expect([complete, resumed > 0, tables.every(({ same }: { same: boolean }) => same)]).toEqual([
      true,
      true,
      true,
    ]);
    const found = await inStore(target.location, ({ reads }) =>
      reads.selectFrom("licenses").select("id").where("id", "=", late).execute(),
    );
    expect(found).toHaveLength(1);
    expect(await contents(target.location)).toEqual(await contents(source.location));
    const again = await runHere(words);
    expect(again).toMatchObject(failure(/^The target is not empty: its table \w+ has rows\./));
  });

  test(`a server on the copy in ${other.kind} answers, counts and delivers as the old one did`, async () => {
    const [source, target] = [await fresh(kind), await other.makeEmpty()];
    const receiver = await openReceiver();
    const examples = JSON.parse((await runHere(["demo", "--json"], source.environment)).stdout) as Example[];
    const answers = async (url: string) => {
      const all = [];
      for (const { api_key, license_key, body, outcome } of examples) {
        const api = apiOf(url, api_key);
        const {
          status,
          body: got,
          headers,
        } = await (body === null ? api.lookup(license_key) : api.validate(body));
        all.push([outcome, status, got.status, got.valid, headers.get("x-signature") !== null]);
      }
      return all;
    };
    const remaining = async (url: string) => {
      const counted = examples.find(({ description }) => description.includes("Fewer than 50")) as Example;
      const { headers } = await apiOf(url, counted.api_key).validate(counted.body);
      return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    };
    const old = await startServerProcess(source.environment);
    const before = await answers(old.url);
    const left = await remaining(old.url);
    const refused = await runHere(["copy", "--from", nameOf(source), "--to", nameOf(target)]);
    expect(refused).toMatchObject(
      failure(/in use by another Countersign server|A Countersign server is using/),
    );
    await old.stop();
    const { id: deliveryId, event_id: eventId } = await inStore(source.location, async (store) => {
      const { id } = await store.reads
        .selectFrom("organizations")
        .select("id")
        .limit(1)
        .executeTakeFirstOrThrow();
      const endpoint = await makeEndpoint(store, id, receiver.url);
      const owner = { store, organizationId: id, endpointId: endpoint.id };
      const waiting = {
        state: "pending",
        attempts: 1,
        last_status: 500,
        next_attempt_at: Date.now(),
      } as const;
      return makeDelivery(owner, waiting);
    });
    const copied = await runHere(["copy", "--from", nameOf(source), "--to", nameOf(target)]);
    expect(copied).toMatchObject({ code: 0, stderr: "" });
    expect(copied.stdout).toMatch(/request_log_\d{8} +\d+ +[0-9a-f]{24} {2}same/);
    const server = await startServerProcess({ ...target.environment, ...allowLoopback });
    expect(await answers(server.url)).toEqual(before);
    // The answers above counted one more.
    expect(await remaining(server.url)).toBe(left - 2);
    await receiver.arrival("the waiting delivery", ({ id }) => id === webhookId(eventId));
    await server.stop();
    // The server has sent events of its own too.
    expect(receiver.received.filter(({ id }) => id === webhookId(eventId))).toHaveLength(1);
    const delivered = await inStore(target.location, ({ reads }) =>
      reads.selectFrom("deliveries").select("state").where("id", "=", deliveryId).execute(),
    );
    expect(delivered).toEqual([{ state: "delivered" }]);
    await receiver.close();
  });
});

describe("refused copies", () => {
  let source: Awaited<ReturnType<typeof fill>>;
  beforeAll(async () => {
    source = await fill(databases[0] as TestedDatabase, 0);
  });
  afterAll(() => source.remove());

  test("each says in one sentence what to do, and repeats no password", async () => {
    const empty = await fresh(postgres);
    const from = nameOf(source);
    const rows: [words: string[], message: RegExp, environment?: Record<string, string>][] = [
      [["--from", from], /^--to is missing/],
      [["--from", from, "--to", `${from}/.`], /^--from and --to name the same database/],
      [["--from", freshFolder(), "--to", freshFolder()], /^There is no database in /],
      [["--from", from, "--to", "postgres://u:secret@[::1"], /^--to is not a PostgreSQL URL/],
      [["--from", "mysql://u:secret@h/d", "--to", from], /^--from is not a PostgreSQL URL/],
      [
        ["--from", from, "--to", "postgres://u:secret@127.0.0.1:1/a"],
        /^The PostgreSQL database cannot be reached/,
      ],
      [["--from", nameOf(empty), "--to", freshFolder()], /^The source is new/],
    ];
    for (const [words, message, environment] of rows) {
      const result = await runHere(["copy", ...words], environment);
      expect(result.stderr).toMatch(message);
      expect([result.code, result.stderr.trim().split("\n").length]).toEqual([1, 1]);
      expect(result.stderr).not.toContain("secret");
    }
  });

  test("a source that is protected with a key needs that key, and one of an older release is migrated first", async () => {
    const [sealed, target] = [await fresh(databases[0] as TestedDatabase), freshFolder()];
    const key = { COUNTERSIGN_ENCRYPTION_KEY: "0f".repeat(5) + newId().replaceAll("-", "").repeat(2) };
    await runHere(["setup", "--organization", "A", "--product", "B"], { ...sealed.environment, ...key });
    const words = ["copy", "--from", nameOf(sealed), "--to", target];
    expect(await runHere(words)).toMatchObject(failure(/^This database is protected with an encryption key/));
    expect(await runHere(words, { COUNTERSIGN_ENCRYPTION_KEY: newId() })).toMatchObject(
      failure(/^COUNTERSIGN_ENCRYPTION_KEY is not the key/),
    );
    expect(readdirSync(target)).toEqual([]);
    await inStore(
      sealed.location,
      ({ direct }) => sql`select 1`.execute(direct),
      key.COUNTERSIGN_ENCRYPTION_KEY,
    );
    expect(await runHere(words, key)).toMatchObject({ code: 0 });
    const older = await fresh(postgres);
    await inStore(older.location, async () => {});
    await withClient(nameOf(older), (client) =>
      client.query("delete from schema_migrations where name = '0001-journal'"),
    );
    const late = await runHere(["copy", "--from", nameOf(older), "--to", freshFolder()]);
    expect(late).toMatchObject(failure(/^The source lacks migration 0001-journal\. Run countersign migrate/));
  });

  const noDisk = whyNoSmallDisk();
  test.skipIf(noDisk !== null)(
    "a full disk ends a copy with a sentence, and it continues once there is space",
    async () => {
      const disk = mountSmallDisk(24);
      const large = await fill(databases[0] as TestedDatabase, 3_000);
      const words = ["copy", "--from", nameOf(large), "--to", `${disk.folder}/data`];
      await copyDatabase(
        large.location,
        { kind: "sqlite", folder: `${disk.folder}/data` },
        {
          encryptionKey: null,
          onProgress: () => {
            disk.fill();
            throw new Error("stopped");
          },
        },
      ).catch(() => {});
      expect(await runHere(words)).toMatchObject(
        failure(/The disk is full: .* Free some space, then run the same command again: it continues/),
      );
      disk.free();
      expect(await runHere(words)).toMatchObject({ code: 0, stderr: "" });
      disk.remove();
      large.remove();
    },
  );
});

interface Example {
  readonly outcome: string;
  readonly description: string;
  readonly api_key: string;
  readonly license_key: string;
  readonly body: object | null;
}

async function fresh(kind: TestedDatabase): Promise<TestDatabase> {
  const database = await kind.makeEmpty();
  await runHere(["migrate"], database.environment);
  return database;
}

/** Odd texts, two days of requests, large rows, and more licenses than a batch has. */
async function fill(kind: TestedDatabase, licenses = manyLicenses) {
  const database = await fresh(kind);
  const org = await openTestOrganization(database.location);
  const { organizationId, productId, store } = org;
  const first = await org.license({ key: "ÄÖ-'\"\\-{,}-\u{1f511}" });
  await org.license({ expiresAt: Date.now() + dayMs, key: "NULL" } as never);
  await addLicenses(
    store,
    org,
    Array.from({ length: licenses }, () => newId().toUpperCase()),
  );
  const request = { organization_id: organizationId, product_id: productId, license_id: first.id };
  const { journal, close } = await openTestJournal(database.location);
  for (const at of [Date.now(), Date.now() - dayMs])
    await journal.append(
      Array.from({ length: 30 }, () => journalEntry({ ...request, id: newId(), at, version: "1\0" })),
    );
  await close();
  const userId = newId();
  await store.transaction(async (db) => {
    const now = new Date().toISOString();
    const user = {
      id: userId,
      name: "Ada",
      email: `${userId}@example.com`,
      created_at: now,
      updated_at: now,
    };
    await db
      .insertInto("users")
      .values({ ...user, image: "\\N\t\r\n" } as never)
      .execute();
    await insertSession(db, { user_id: userId, expiresAtMs: Date.now() + dayMs });
    for (let number = 0; number < 3; number++)
      await db
        .insertInto("audit_log")
        .values({
          ...{ id: newId(), at: Date.now(), organization_id: organizationId, actor_kind: "system" },
          ...{ actor_name: "", action: "product.updated", subject_kind: "product", subject_id: productId },
          before: JSON.stringify({ text: "x".repeat(900_000) }),
        } as never)
        .execute();
  });
  await store.close();
  return { ...database, organizationId, productId };
}

/** Returns their IDs. */
async function addLicenses(
  store: Store,
  { organizationId, productId }: { organizationId: string; productId: string },
  keys: readonly string[],
): Promise<string[]> {
  const owner = { organizationId, productId, customerId: null, maxIps: 3 };
  const rows = keys.map((key) => ({ id: newId(), key, ...owner }));
  await store.transaction((db) => createLicenses(db, rows, Date.now()));
  return rows.map(({ id }) => id);
}

function nameOf({ location }: Pick<TestDatabase, "location">): string {
  return location.kind === "sqlite" ? location.folder : location.url;
}

async function inStore<T>(
  location: DatabaseLocation,
  work: (store: Store) => Promise<T>,
  encryptionKey: string | null = null,
): Promise<T> {
  const store = await openStore(location, { encryptionKey, durability: "standard" });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Every row of every table, as texts, with the license counts and without what belongs to one database. */
function contents(location: DatabaseLocation): Promise<Record<string, string[]>> {
  return inStore(location, async (store) => {
    const all: Record<string, string[]> = {};
    for (const name of Object.keys(await tablesOf(store))) {
      if (!isCopied(name) || name === "request_log" || name === "request_keys") continue;
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
        store.reads,
      );
      all[name] = rows
        .filter(
          (row) => name !== "platform_state" || !["license_search", "probed"].includes(String(row.name)),
        )
        .map(({ deleted_bytes: _, ...row }) =>
          JSON.stringify(Object.entries(row).sort()).replaceAll("\\u0000", "\uFFFD"),
        )
        .sort();
    }
    const counts = await sql<{
      licenses: number;
    }>`select organization_id, fact, day, sum(licenses) as licenses from
      (select * from license_counts union all select * from license_count_changes) as kept
      group by organization_id, fact, day order by 1, 2, 3`.execute(store.reads);
    all.license_counts = counts.rows.map((row) => JSON.stringify({ ...row, licenses: Number(row.licenses) }));
    return all;
  });
}

/** Everything but tables: indexes, keys between tables, and triggers. */
function schema(location: DatabaseLocation): Promise<unknown[]> {
  return inStore(location, async ({ kind, reads }) => {
    const query =
      kind === "sqlite"
        ? sql`select type, name, sql from main.sqlite_master where type <> 'table'
            union all select type, name, sql from journal.sqlite_master where type <> 'table' order by 1, 2`
        : sql`select 'index' as type, indexname::text as name, indexdef as sql from pg_indexes
              where schemaname = 'public' and indexname !~ '_[0-9]{8}'
            union all select 'key', conname::text, pg_get_constraintdef(oid) from pg_constraint
              where connamespace = 'public'::regnamespace and conrelid::regclass::text !~ '_[0-9]{8}'
            union all select 'trigger', tgname::text, tgenabled::text from pg_trigger where not tgisinternal
            order by 1, 2`;
    return (await query.execute(reads)).rows;
  });
}

async function copiedLicenses({ location }: TestDatabase): Promise<number> {
  const count = "select row_count from copy_progress where name = 'licenses'";
  try {
    if (location.kind === "postgres")
      return await withClient(
        location.url,
        async (client) => (await client.query(count)).rows[0]?.row_count ?? 0,
      );
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(`${location.folder}/countersign.db`, { readOnly: true });
    try {
      return Number(database.prepare(count).get()?.row_count ?? 0);
    } finally {
      database.close();
    }
  } catch {
    // It does not exist yet.
    return 0;
  }
}
