import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { distribution } from "@countersign/store/distribution";
import { openStore } from "@countersign/store/open";
import {
  deleting,
  extending,
  type LicenseChange,
  reinstating,
  revoking,
  settingExpiry,
} from "@countersign/store/queries/licenses/changes";
import { licenseViews } from "@countersign/store/queries/licenses/views";
import { readConfig } from "../../apps/server/config.ts";
import { ExpiryCheck } from "../../apps/server/features/events/expiry-check.ts";
import { type ChangeEvent, recordingChanges } from "../../apps/server/features/events/record-changes.ts";
import { databases, type TestDatabase } from "../support/databases.ts";
import { openTestOrganization, type TestOrganization } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const startMs = Date.UTC(2030, 5, 1);
const dayMs = 86_400_000;
const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "1000" });

describe.each(databases)("timed events on $kind", ({ kind, make }) => {
  const made: { database: TestDatabase; org: TestOrganization }[] = [];
  let org: TestOrganization;
  let nowMs: number;
  let watch: ExpiryCheck;

  beforeEach(async () => {
    const database = await make();
    org = await openTestOrganization(database.location);
    made.push({ database, org });
    nowMs = startMs;
    watch = new ExpiryCheck(org.store, config, async () => nowMs);
  });
  afterAll(async () => {
    for (const { database, org } of made) {
      await org.store.close();
      database.remove();
    }
  });

  const recorded = async () => {
    const rows = await org.store.reads
      .selectFrom("events")
      .select(["type", "license_id", "at", "data", "undistributed"])
      .orderBy("id")
      .execute();
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
  };
  const types = async () => (await recorded()).map(({ type }) => type);
  const runAt = async (ms: number) => {
    nowMs = ms;
    await watch.run();
  };

  test("the first start records nothing for licenses that expired earlier", async () => {
    await org.license({ expiresAtMs: startMs - 400 * dayMs });
    await org.license({ expiresAtMs: startMs - dayMs });
    await runAt(startMs);
    await runAt(startMs + dayMs);
    expect(await recorded()).toEqual([]);
  });

  test("a license records expiring_soon the product's number of days ahead, and expired at its expiry, once each", async () => {
    const { id } = await org.license({ expiresAtMs: startMs + 10 * dayMs });
    await org.license();
    await runAt(startMs);
    await runAt(startMs + 3 * dayMs - 1);
    expect(await recorded()).toEqual([]);
    await runAt(startMs + 3 * dayMs);
    await runAt(startMs + 3 * dayMs + 10_000);
    await runAt(startMs + 10 * dayMs - 1);
    expect(await recorded()).toMatchObject([
      {
        type: "license.expiring_soon",
        license_id: id,
        at: startMs + 3 * dayMs,
        undistributed: distribution.waiting,
        data: { license_id: id, license: { status: "active" } },
      },
    ]);
    await runAt(startMs + 10 * dayMs);
    await runAt(startMs + 10 * dayMs + 10_000);
    expect((await recorded()).slice(1)).toMatchObject([
      { type: "license.expired", license_id: id, data: { license: { status: "expired" } } },
    ]);
  });

  describe("a license that is changed between its expiry and the next check", () => {
    const changes: [what: string, work: (id: string) => Promise<unknown>, types: string[]][] = [
      [
        "renewed",
        (id) => changed(id, "license.renewed", extending({ ms: dayMs }, nowMs)),
        ["license.expired", "license.renewed"],
      ],
      [
        "given another expiry",
        (id) => changed(id, "license.updated", settingExpiry(startMs + 90 * dayMs, nowMs)),
        ["license.expired", "license.updated"],
      ],
      [
        "revoked",
        (id) => changed(id, "license.revoked", revoking(null, nowMs)),
        ["license.expired", "license.revoked"],
      ],
      ["deleted", (id) => changed(id, "license.deleted", deleting()), ["license.expired", "license.deleted"]],
    ];
    const changed = (id: string, type: ChangeEvent, change: LicenseChange) =>
      org.store.transaction((db) =>
        recordingChanges(db, nowMs, type, [id], async () => {
          await change.apply(db, await licenseViews(db, [id]));
        }),
      );

    test.each(changes)("and %s records the expiry first, once", async (_, work, expected) => {
      const { id } = await org.license({ expiresAtMs: startMs + 5_000 });
      await runAt(startMs);
      nowMs = startMs + 8_000;
      await work(id);
      expect<string[]>(await types()).toEqual(expected);
      expect((await recorded())[0]?.data.license).toMatchObject({ status: "expired" });
      await runAt(startMs + 10_000);
      expect<string[]>(await types()).toEqual(expected);
    });

    test("does not record the expiry again if the check came first", async () => {
      const { id } = await org.license({ expiresAtMs: startMs + 5_000 });
      await runAt(startMs);
      await runAt(startMs + 7_000);
      nowMs = startMs + 8_000;
      await changed(id, "license.renewed", extending({ ms: dayMs }, nowMs));
      expect(await types()).toEqual(["license.expired", "license.renewed"]);
    });

    test("does not record an expiry before the first check ever", async () => {
      const { id } = await org.license({ expiresAtMs: startMs - 400 * dayMs });
      await changed(id, "license.renewed", extending({ ms: dayMs }, nowMs));
      expect(await types()).toEqual(["license.renewed"]);
    });

    test("does not record an expiry from long before the first check", async () => {
      const { id } = await org.license({ expiresAtMs: startMs - 400 * dayMs });
      await runAt(startMs);
      nowMs = startMs + 8_000;
      await changed(id, "license.renewed", extending({ ms: dayMs }, nowMs));
      expect(await types()).toEqual(["license.renewed"]);
    });

    test("records the expiry when it is reinstated after expiring while revoked", async () => {
      const { id } = await org.license({ expiresAtMs: startMs + 5_000 });
      await runAt(startMs);
      nowMs = startMs + 1_000;
      await changed(id, "license.revoked", revoking(null, nowMs));
      await runAt(startMs + 10 * dayMs);
      await changed(id, "license.reinstated", reinstating(nowMs));
      expect(await types()).toEqual(["license.revoked", "license.reinstated", "license.expired"]);
      await runAt(startMs + 11 * dayMs);
      expect(await types()).toHaveLength(3);
    });
  });

  test("each product has its own number of days", async () => {
    const { productId } = await org.product({ expiring_soon_days: 30 });
    const { id } = await org.license({ productId, expiresAtMs: startMs + 35 * dayMs });
    await org.license({ expiresAtMs: startMs + 35 * dayMs });
    await runAt(startMs);
    await runAt(startMs + 6 * dayMs);
    expect(await recorded()).toMatchObject([{ type: "license.expiring_soon", license_id: id }]);
  });

  test("after downtime, all expiries are recorded, and none as expiring_soon that have already expired", async () => {
    await org.license({ expiresAtMs: startMs + 10 * dayMs });
    const later = await org.license({ expiresAtMs: startMs + 25 * dayMs });
    await runAt(startMs);
    watch = new ExpiryCheck(org.store, config, async () => nowMs);
    await runAt(startMs + 20 * dayMs);
    expect((await recorded()).map(({ type, license_id }) => [type, license_id === later.id])).toEqual([
      ["license.expired", false],
      ["license.expiring_soon", true],
    ]);
  });

  test("three nodes that check at once record one event for each of 130 licenses", async () => {
    for (let at = 0; at < 130; at++) await org.license({ expiresAtMs: startMs + dayMs + at });
    await runAt(startMs);
    const { database } = made.at(-1) ?? {};
    if (database === undefined) throw new Error("There is no database.");
    const options = { encryptionKey: null, durability: "standard" } as const;
    // A SQLite database has one server, which runs three checks.
    const count = kind === "sqlite" ? 0 : 2;
    const others = await Promise.all(
      Array.from({ length: count }, () => openStore(database.location, options)),
    );
    const stores = kind === "sqlite" ? [org.store, org.store] : others;
    nowMs = startMs + 2 * dayMs;
    const nodes = [watch, ...stores.map((store) => new ExpiryCheck(store, config, async () => nowMs))];
    await Promise.all(nodes.map((node) => node.run()));
    await Promise.all(others.map((store) => store.close()));
    const ids = (await recorded()).map(({ license_id }) => license_id);
    expect([ids.length, new Set(ids).size]).toEqual([130, 130]);
  });

  test("revoked licenses and licenses of deleted products record nothing", async () => {
    await org.license({ expiresAtMs: startMs + dayMs, revokedAtMs: startMs });
    const { productId } = await org.product();
    await org.license({ productId, expiresAtMs: startMs + dayMs });
    await org.store.transaction((db) =>
      db.updateTable("products").set({ deleted_at: 1 }).where("id", "=", productId).execute(),
    );
    await runAt(startMs);
    await runAt(startMs + 2 * dayMs);
    expect(await recorded()).toEqual([]);
  });

  test("a renewed license records its next expiry", async () => {
    const { id } = await org.license({ expiresAtMs: startMs + dayMs });
    await runAt(startMs);
    await runAt(startMs + 2 * dayMs);
    await org.store.transaction((db) =>
      db
        .updateTable("licenses")
        .set({ expires_at: startMs + 20 * dayMs })
        .where("id", "=", id)
        .execute(),
    );
    await runAt(startMs + 14 * dayMs);
    await runAt(startMs + 21 * dayMs);
    expect(await types()).toEqual(["license.expired", "license.expiring_soon", "license.expired"]);
  });

  test("an interrupted run repeats from its start and records nothing twice", async () => {
    await org.license({ expiresAtMs: startMs + dayMs });
    await runAt(startMs);
    const before = await org.store.reads.selectFrom("platform_state").selectAll().execute();
    await runAt(startMs + 2 * dayMs);
    const state = before.find(({ name }) => name === "expiries_checked_until");
    await org.store.transaction((db) =>
      db
        .updateTable("platform_state")
        .set({ value: state?.value ?? "" })
        .where("name", "=", "expiries_checked_until")
        .execute(),
    );
    await runAt(startMs + 2 * dayMs);
    expect(await types()).toEqual(["license.expired"]);
  });
});
