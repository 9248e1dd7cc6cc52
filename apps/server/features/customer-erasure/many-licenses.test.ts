import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { registration } from "@countersign/domain/ip/registered";
import { openStore } from "@countersign/store/databases/open";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import type { Database, Store } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import { type Insertable, sql } from "kysely";
import { databases, type TestDatabase } from "../../../../tests/support/databases.ts";
import { erasuresOn } from "../../../../tests/support/erasures.ts";
import { closeSegments, openTestJournal, type TestJournal } from "../../../../tests/support/journal.ts";
import { listed } from "../../../../tests/support/listed.ts";
import { journalEntry } from "../../../../tests/support/request-log.ts";
import { newId, openTestOrganization } from "../../../../tests/support/test-organization.ts";
import { makeEndpoint } from "../../../../tests/support/webhooks.ts";
import { rowsWith } from "../../../../tests/support/whole-database.ts";
import { auditWithoutRequest } from "../audit-log/record.ts";

setDefaultTimeout(600_000);

/** The long form is run by `npm run test:faults`. */
const isLong = process.env.COUNTERSIGN_LONG_TESTS === "true";
const licenseCount = isLong ? 10_000 : 200;
const ipsOfOne = 4_500;
const [email, ip] = ["many.canary@customers.example", "203.0.113.77"];

// With its own database, whose rows are read as a whole.
describe.each(databases)("erasing a customer with many licenses on $kind", ({ make }) => {
  let database: TestDatabase;
  let store: Store;
  let journal: TestJournal;
  beforeAll(async () => {
    database = await make();
    store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
    journal = await openTestJournal(database.location);
  }, 60_000);
  afterAll(async () => {
    await journal.close();
    await store.close();
    database.remove();
  });

  /** Licenses with what is recorded about each, of which a tenth has another customer now. */
  const filled = async (nowMs: number) => {
    const { organizationId, productId } = await openTestOrganization(null, { store });
    const endpoint = await makeEndpoint(store, organizationId, "https://hooks.example.invalid/in");
    const customerOf = (of: string) =>
      store.transaction((db) =>
        customerFor(db, organizationId, { email: of, discordId: null, name: null }, newId, nowMs),
      );
    const [customerId, otherId] = [await customerOf(email), await customerOf("other@customers.example")];
    const ids = Array.from({ length: licenseCount }, () => newId());
    const [first = "", kept] = [ids[0], newId()];
    const of = { organizationId, productId, customerId, maxIps: 5_000 };
    const about = { organization_id: organizationId, product_id: productId };
    for (let start = 0; start < ids.length; start += 500)
      await store.transaction(async (db) => {
        const some = ids.slice(start, start + 500);
        await createLicenses(
          db,
          some.map((id) => ({ ...of, id, key: id })),
          nowMs,
        );
        await db
          .insertInto("license_ips")
          .values(some.map((id) => registration(id, ip, nowMs)))
          .execute();
        await db.updateTable("licenses").set({ ip_count: 1 }).where("id", "in", some).execute();
        for (const [table, rows] of Object.entries(
          delivered(some, { ...about, endpoint_id: endpoint.id }, nowMs),
        ))
          await db
            .insertInto(table as "events")
            .values(rows as Insertable<Tables["events"]>[])
            .execute();
        const entries = some.map((id) => ({
          ...{ action: "license.created", subject: { kind: "license", id, name: email } },
          ...{ after: { customer_email: email }, organizationId },
        }));
        await auditWithoutRequest(db, { kind: "system", name: "Shop" }, nowMs, ...entries);
        const given = some.filter((_, at) => at % 10 === 9);
        await db.updateTable("licenses").set({ customer_id: otherId }).where("id", "in", given).execute();
      });
    const ips = Array.from({ length: ipsOfOne }, (_, at) => `198.51.${at >> 8}.${at & 255}`);
    await store.transaction(async (db) => {
      await createLicenses(db, [{ ...of, id: kept, key: kept, customerId: otherId }], nowMs);
      await db
        .insertInto("license_ips")
        .values(ips.map((one) => registration(first, one, nowMs)))
        .execute();
      await db
        .updateTable("licenses")
        .set({ ip_count: ipsOfOne + 1 })
        .where("id", "=", first)
        .execute();
    });
    const used = [...ids, kept].map((license_id) => ({ ...about, license_id, ip, at: nowMs, tracked: true }));
    for (let start = 0; start < used.length; start += 1_000)
      await journal.journal.append(used.slice(start, start + 1_000).map((row) => journalEntry(row)));
    await closeSegments(journal.journal, Date.now() + 3_600_000);
    return { organizationId, customerId, kept };
  };

  test("everything is erased, and no transaction grows with the number of licenses", async () => {
    const { organizationId, customerId, kept } = await filled((await store.clock()) - 60_000);
    const erasures = erasuresOn(store, () => journal.journal);
    const given = licenseCount / 10;
    expect(await erasures.begin(organizationId, customerId)).toMatchObject({
      licenses: licenseCount - given,
      ip_addresses: licenseCount - given + ipsOfOne,
    });
    await erasures.settle(customerId);
    const transactions: number[] = [];
    const counted = new Proxy(store, {
      get: (target, key) => {
        if (key === "transaction")
          return (work: (db: Database) => Promise<unknown>, lasting?: "now" | "soon") =>
            target.transaction(async (db) => {
              const before = await changedRows(store.kind, db);
              const result = await work(db);
              transactions.push((await changedRows(store.kind, db)) - before);
              return result;
            }, lasting);
        const value = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await erasures.run(counted);
    await erasures.run(counted);

    const { audit_log: entries, ...left } = await rowsWith(store, organizationId);
    expect(left.licenses).toHaveLength(given + 1);
    expect(left.request_log).toHaveLength(1);
    const gone = listed("license_ips events deliveries customer_erasures erased_licenses");
    expect(Object.keys(left).filter((table) => gone.includes(table))).toEqual([]);
    expect(await rowsWith(store, email)).toEqual({});
    const withIp = await rowsWith(store, ip);
    expect(Object.keys(withIp).filter((table) => !/^rollup_/.test(table))).toEqual([
      "ip_sightings",
      "request_log",
    ]);
    const sightings = (withIp.ip_sightings ?? []).map((row) => JSON.parse(row));
    expect(sightings.map(({ tier, hits, license_count }) => [tier, hits, license_count])).toEqual([
      ["license", 1, 1],
      ["organization", 1, 1],
      ["platform", 1, 1],
    ]);
    expect(withIp.request_log?.[0]).toContain(kept);
    expect((await rowsWith(store, "198.51.")).license_ips).toBeUndefined();
    expect(entries?.filter((entry) => entry.includes("license.created"))).toHaveLength(licenseCount);
    expect(entries?.filter((entry) => entry.includes('"customer.erased"'))).toHaveLength(1);

    // The IP addresses of one license are as many as a transaction removes at once, at most.
    const large = transactions.filter((rows) => rows > 200);
    expect(large.length).toBeLessThanOrEqual(3);
    expect(Math.max(...large)).toBeLessThan(2_300);
    // The journal has a hundred licenses in a step, and a step for its segments.
    expect(erasures.journalSteps()).toBeGreaterThan(licenseCount / 100);
  });
});

/** An event of each license, which was sent. */
function delivered(
  licenseIds: readonly string[],
  about: Record<"organization_id" | "product_id" | "endpoint_id", string>,
  nowMs: number,
) {
  const { endpoint_id, ...belongs } = about;
  const ids = licenseIds.map((license_id) => ({ license_id, event: newId(), delivery: newId() }));
  return {
    events: ids.map(({ license_id, event }) => ({
      ...{ ...belongs, id: event, license_id, type: "license.created", at: nowMs, data: "{}" },
    })),
    deliveries: ids.map(({ event, delivery }) => ({
      ...{ id: delivery, organization_id: belongs.organization_id, endpoint_id, event_id: event },
      ...{
        event_type: "license.created",
        state: "failed",
        attempts: 1,
        created_at: nowMs,
        finished_at: nowMs,
      },
    })),
    delivery_attempts: ids.map(({ delivery }) => ({
      ...{ id: newId(), delivery_id: delivery, endpoint_id, at: nowMs, duration_ms: 5 },
      ...{ request_headers: "{}", sealed_response: null },
    })),
  };
}

/** How many rows this transaction, or on SQLite this connection, has written, by triggers too. */
async function changedRows(kind: Store["kind"], db: Database): Promise<number> {
  const count =
    kind === "sqlite"
      ? sql<{ rows: number }>`select total_changes() as rows`
      : sql<{ rows: number }>`select sum(n_tup_ins + n_tup_upd + n_tup_del) as rows
          from pg_stat_xact_user_tables`;
  const { rows } = await count.execute(db);
  return Number(rows[0]?.rows ?? 0);
}
