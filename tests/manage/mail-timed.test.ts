import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import type { Store } from "@countersign/store/store";
import { readConfig } from "../../apps/server/config.ts";
import { ExpiryCheck } from "../../apps/server/features/events/expiry-check.ts";
import { addLicense } from "../support/add-license.ts";
import { databases, type TestDatabase } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { newId, openTestOrganization, type TestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const startMs = Date.UTC(2030, 5, 1);
const dayMs = 86_400_000;
const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "1000" });

describe.each(databases)("timed emails on $kind", ({ kind, make }) => {
  const made: { database: TestDatabase; stores: Store[] }[] = [];
  let org: TestOrganization;
  let nodes: ExpiryCheck[];
  let nowMs: number;

  beforeEach(async () => {
    const database = await make();
    org = await openTestOrganization(database.location, { settings: { expiring_soon_email: 1 } });
    // A SQLite database has one server, which runs two checks.
    const options = { encryptionKey: null, durability: "standard" } as const;
    const other = kind === "sqlite" ? org.store : await openStore(database.location, options);
    made.push({ database, stores: [...new Set([org.store, other])] });
    nowMs = startMs;
    nodes = [org.store, other].map((store) => new ExpiryCheck(store, config, async () => nowMs));
  });
  afterAll(async () => {
    for (const { database, stores } of made) {
      await Promise.all(stores.map((store) => store.close()));
      database.remove();
    }
  });

  /** Runs both nodes at the same time. */
  const runAt = async (ms: number) => {
    nowMs = ms;
    await Promise.all(nodes.map((node) => node.run()));
  };
  const license = (expiresAtMs: number, productId = org.productId) =>
    addLicense(org, { productId, expiresAtMs, customer: { email: `${newId()}@example.net` } });
  const events = async () => {
    const rows = await org.store.reads.selectFrom("events").select("type").orderBy("id").execute();
    return rows.map(({ type }) => type);
  };
  const emails = () => openedEmails(org.store);

  test("the customer gets an email the product's number of days before the expiry, and none at the expiry", async () => {
    const month = await org.product({ expiring_soon_email: 1, expiring_soon_days: 30, locale: "de" });
    const silent = await org.product({ expiring_soon_days: 30 });
    await license(startMs + 40 * dayMs);
    const early = await license(startMs + 40 * dayMs, month.productId);
    await license(startMs + 40 * dayMs, silent.productId);
    for (let day = 0; day <= 41; day++) await runAt(startMs + day * dayMs);
    const found = await emails();
    expect(found.map(({ created_at, subject }) => [(created_at - startMs) / dayMs, subject])).toEqual([
      [10, "Deine Lizenz für Test Product läuft bald ab"],
      [33, "Your Test Product license expires soon"],
    ]);
    expect(found[0]?.body_text).toContain(early.key);
    expect(found[0]?.body_text).toContain("11. Juli 2030");
    expect((await events()).sort()).toEqual([
      ...Array(3).fill("license.expired"),
      ...Array(3).fill("license.expiring_soon"),
    ]);
  });

  test("two nodes that check at once send one email and one event for each of 120 licenses", async () => {
    for (let index = 0; index < 120; index++) await license(startMs + 8 * dayMs + index);
    await runAt(startMs);
    await runAt(startMs + 2 * dayMs);
    await runAt(startMs + 2 * dayMs);
    expect(await emails()).toHaveLength(120);
    expect(await events()).toEqual(Array(120).fill("license.expiring_soon"));
    await runAt(startMs + 9 * dayMs);
    expect(await emails()).toHaveLength(120);
    expect((await events()).slice(120)).toEqual(Array(120).fill("license.expired"));
  });

  test("after days of downtime, a customer gets one email", async () => {
    await license(startMs + 12 * dayMs);
    const gone = await license(startMs + 9 * dayMs);
    await runAt(startMs);
    await runAt(startMs + 10 * dayMs);
    for (let hour = 0; hour < 24; hour++) await runAt(startMs + 10 * dayMs + hour * 3_600_000);
    const found = await emails();
    expect(found).toHaveLength(1);
    // An expired license is not reported as expiring soon.
    expect(found[0]?.body_text).not.toContain(gone.key);
    expect(await events()).toEqual(["license.expired", "license.expiring_soon"]);
  });

  test("a changed expiry sends another email with the new date; one that is changed back does not", async () => {
    const { id } = await license(startMs + 8 * dayMs);
    const endAt = (ms: number) =>
      org.store.transaction((db) =>
        db.updateTable("licenses").set({ expires_at: ms }).where("id", "=", id).execute(),
      );
    await runAt(startMs);
    await runAt(startMs + 2 * dayMs);
    await endAt(startMs + 30 * dayMs);
    await runAt(startMs + 3 * dayMs);
    expect(await emails()).toHaveLength(1);
    await runAt(startMs + 24 * dayMs);
    const texts = (await emails()).map((message) => message.body_text);
    expect(texts[0]).toContain("June 9, 2030");
    expect(texts[1]).toContain("July 1, 2030");
    await endAt(startMs + 31 * dayMs);
    await endAt(startMs + 30 * dayMs);
    await runAt(startMs + 24 * dayMs + 60_000);
    expect(await emails()).toHaveLength(2);
    await runAt(startMs + 30 * dayMs);
    expect(await events()).toEqual(["license.expiring_soon", "license.expiring_soon", "license.expired"]);
  });

  test("a check that is repeated sends no second email", async () => {
    await license(startMs + 8 * dayMs);
    await runAt(startMs);
    const state = () =>
      org.store.reads
        .selectFrom("platform_state")
        .select("value")
        .where("name", "=", "expiries_checked_until")
        .executeTakeFirstOrThrow();
    const { value } = await state();
    await runAt(startMs + 2 * dayMs);
    await org.store.transaction((db) =>
      db.updateTable("platform_state").set({ value }).where("name", "=", "expiries_checked_until").execute(),
    );
    await runAt(startMs + 2 * dayMs);
    expect(await emails()).toHaveLength(1);
  });
});

test.each(databases)(
  "servers on $kind record expiries and send emails automatically, once",
  async ({ kind, make }) => {
    const fixture = await openManageFixture(make);
    const second = kind === "postgres" ? await startServerProcess(fixture.database.environment) : null;
    try {
      const product = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
        name: "Short",
        expiring_soon_days: 1,
        expiring_soon_email: true,
      });
      const state = async () => {
        const row = await fixture.store.reads
          .selectFrom("platform_state")
          .select("value")
          .where("name", "=", "expiries_checked_until")
          .executeTakeFirst();
        return row === undefined ? null : Number(row.value);
      };
      // The first check on a database ignores what is already due.
      await until("the first check", async () => (await state()) !== null, 30_000);
      const productId = String(product.body.id);
      const to = `${newId()}@example.net`;
      const soonMs = Date.now() + 500;
      const ending = await addLicense(fixture, {
        productId,
        expiresAtMs: soonMs + dayMs,
        customer: { email: to },
      });
      const ended = await addLicense(fixture, { productId, expiresAtMs: soonMs, customer: { email: to } });
      for (let check = 0; check < 2; check++) {
        const fromMs = Math.max(Date.now(), soonMs);
        await until("another check", async () => ((await state()) ?? 0) > fromMs, 30_000);
      }
      const rows = await fixture.store.reads
        .selectFrom("events")
        .select(["type", "license_id"])
        .where("license_id", "in", [ending.id, ended.id])
        .execute();
      expect(rows.map(({ type, license_id }) => [type, license_id]).sort()).toEqual([
        ["license.expired", ended.id],
        ["license.expiring_soon", ending.id],
      ]);
      const emails = await openedEmails(fixture.store, { to });
      expect(emails).toHaveLength(1);
      expect(emails[0]?.body_text).toContain(ending.key);
    } finally {
      await second?.stop();
      await fixture.close();
    }
  },
  120_000,
);
