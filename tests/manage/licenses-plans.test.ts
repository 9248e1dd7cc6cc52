import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countLicenses } from "@countersign/store/queries/licenses/count-filtered";
import { licenseRow, tagRows } from "@countersign/store/queries/licenses/create";
import { everyLicenseOf, type LicenseFilter } from "@countersign/store/queries/licenses/filter";
import { licensePage, mostScannedForNothing } from "@countersign/store/queries/licenses/list";
import type { LicenseOrder } from "@countersign/store/queries/licenses/scan";
import { createdByDay, expiringByWeek } from "@countersign/store/queries/licenses/stored-counts";
import { sql } from "kysely";
import { databases, type TestDatabase } from "../support/databases.ts";
import { newId, openTestOrganization, type TestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { watched } from "../support/watched-queries.ts";

const licenseCount = mostScannedForNothing + 5_000;

describe.each(databases)("querying many licenses on $kind", ({ kind, make }) => {
  let database: TestDatabase;
  let org: TestOrganization;
  let all: LicenseFilter;
  const nowMs = Date.UTC(2030, 0, 1);
  beforeAll(async () => {
    database = await make();
    org = await openTestOrganization(database.location);
    all = everyLicenseOf(org.organizationId);
    await fill(org, nowMs);
    org.store.startUpkeep((reason) => expect(reason).toBe("nothing"));
    const isReady = async () => (await org.store.searchLicenses(newId(), ["nothing"], 1)) !== null;
    await until("the text index is complete", isReady, 100_000);
  }, 120_000);
  afterAll(async () => {
    await org.store.close();
    database.remove();
  });

  const filters: [name: string, filter: () => Partial<LicenseFilter>][] = [
    ["nothing", () => ({})],
    ["a product", () => ({ productId: org.productId })],
    ["a status", () => ({ status: "active" })],
    ["revoked ones", () => ({ status: "revoked" })],
    ["expired ones", () => ({ status: "expired" })],
    ["a common tag", () => ({ tag: "common" })],
    ["a rare tag", () => ({ tag: "rare" })],
    ["a customer", () => ({ customerId: "nobody" })],
    ["an expiry soon", () => ({ expiresByMs: nowMs + 86_400_000 })],
    ["common text", () => ({ words: ["example"] })],
    ["rare text", () => ({ words: [`buyer${licenseCount - 1}@`] })],
    ["text without a match", () => ({ words: ["nowhere to be found"] })],
    ["several words, one of them rare", () => ({ words: ["example", `buyer${licenseCount - 1}@`] })],
    ["common words", () => ({ words: ["example", "buyer"] })],
    ["unindexed fields", () => ({ neverUsed: false, minIps: 3, hasNotes: true })],
    [
      "all filters combined",
      () => ({ words: ["example"], tag: "common", status: "active", productId: org.productId }),
    ],
  ];
  const orders: LicenseOrder[] = (["created_at", "expires_at", "updated_at"] as const).flatMap((by) =>
    [true, false].map((descending) => ({ by, descending })),
  );

  test.each(filters)("filtering by %s reads the whole table in no query", async (_, filter) => {
    const { store, plans } = watched(org.store);
    for (const order of orders) {
      const first = await licensePage(store, { ...all, ...filter() }, order, null, 50, nowMs);
      if (first.next !== null)
        await licensePage(store, { ...all, ...filter() }, order, first.next, 50, nowMs);
    }
    const counted = await countLicenses(store, { ...all, ...filter() }, nowMs, { longestMs: 60_000 });
    expect(counted.exact).toBe(true);
    for (const { text, plan } of await plans()) {
      const whole = kind === "sqlite" ? /SCAN licenses/ : /Seq Scan on licenses/;
      expect(whole.test(plan) ? `${text}\n${plan}` : "").toBe("");
      // No query sorts either, unless it names the few IDs that it sorts.
      const sorts = kind === "sqlite" ? /USE TEMP B-TREE/ : /Sort/;
      expect(sorts.test(plan) && !text.includes("where id in") ? `${text}\n${plan}` : "").toBe("");
    }
  });

  test("the overview's charts read stored counts, and only licenses that expire today", async () => {
    const { store, plans } = watched(org.store);
    const today = Math.floor(nowMs / 86_400_000);
    const created = await createdByDay(store.listReads, org.organizationId, today - 29, 30);
    const expiring = await expiringByWeek(store.listReads, org.organizationId, nowMs, 12);
    const rows = await org.store.reads
      .selectFrom("licenses")
      .select(["created_at", "expires_at", "revoked_at"])
      .execute();
    const createdOn = (day: number) =>
      rows.filter((row) => Math.floor(row.created_at / 86_400_000) === day).length;
    expect(created).toEqual(Array.from({ length: 30 }, (_, at) => createdOn(today - 29 + at)));
    const expiresIn = (week: number) =>
      rows.filter(({ expires_at: end, revoked_at }) => {
        if (end === null || revoked_at !== null || end <= nowMs) return false;
        return Math.floor((Math.floor(end / 86_400_000) - today) / 7) === week;
      }).length;
    expect(expiring).toEqual(Array.from({ length: 12 }, (_, week) => expiresIn(week)));
    for (const { text, plan } of await plans()) {
      const whole =
        kind === "sqlite" ? /SCAN (licenses|license_counts)\b/ : /Seq Scan on (licenses|license_counts)\b/;
      expect(whole.test(plan) ? `${text}\n${plan}` : "").toBe("");
    }
  });

  test("a match far down the list is found by following the pages", async () => {
    let found: readonly string[] = [];
    let pages = 0;
    for (let after = null as Parameters<typeof licensePage>[3]; ; ) {
      const order = { by: "created_at", descending: true } as const;
      const page = await licensePage(org.store, { ...all, minIps: 3 }, order, after, 50, nowMs);
      pages += 1;
      found = [...found, ...page.ids];
      if (page.next === null) break;
      after = page.next;
    }
    expect(found).toHaveLength(1);
    expect(pages).toBe(2);
  });

  const unhurried = { longestMs: 60_000 };

  test("counts are exact for every filter", async () => {
    const count = async (filter: Partial<LicenseFilter>) =>
      (await countLicenses(org.store, { ...all, ...filter }, nowMs, unhurried)).count;
    expect(await count({})).toBe(licenseCount);
    expect(await count({ minIps: 3 })).toBe(1);
    expect(await count({ words: ["example"] })).toBe(licenseCount);
    const tagged = await org.store.reads
      .selectFrom("license_tags")
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("tag", "=", "common")
      .executeTakeFirst();
    expect(await count({ tag: "common" })).toBe(Number(tagged?.count));
    expect(await count({ tag: "common", status: "active" })).toBe(
      Number(tagged?.count) -
        (await count({ tag: "common", status: "revoked" })) -
        (await count({ tag: "common", status: "expired" })),
    );
  });

  test("a count that times out or is aborted returns what it found", async () => {
    const filter = { ...all, words: ["example"] };
    for (const limits of [{ longestMs: 0 }, { ...unhurried, signal: AbortSignal.abort() }]) {
      const { count, exact } = await countLicenses(org.store, filter, nowMs, limits);
      expect(exact).toBe(false);
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThan(licenseCount);
    }
  });

  test("concurrent full counts are queued and all complete", async () => {
    const filter = { ...all, words: ["example"] };
    const counted = await Promise.all(
      Array.from({ length: 4 }, () => countLicenses(org.store, filter, nowMs, unhurried)),
    );
    expect(counted).toEqual(Array(4).fill({ count: licenseCount, exact: true }));
  });

  test("the text index finds rare text, reports common text, and is limited to the organization", async () => {
    const { store, organizationId } = org;
    expect(await store.searchLicenses(organizationId, [`buyer${licenseCount - 1}@`], 10)).toHaveLength(1);
    expect(await store.searchLicenses(organizationId, ["example"], 10)).toBeNull();
    expect(await store.searchLicenses(newId(), [`buyer${licenseCount - 1}@`], 10)).toEqual([]);
  });
});

async function fill({ store, organizationId, productId }: TestOrganization, nowMs: number): Promise<void> {
  for (let start = 0; start < licenseCount; start += 1_000) {
    const licenses = Array.from({ length: 1_000 }, (_, offset) => {
      const index = start + offset;
      const key = `key-${index}`;
      return {
        id: newId(),
        organizationId,
        productId,
        customerId: null,
        key,
        createdAtMs: nowMs - licenseCount + index,
        expiresAtMs: index % 3 === 0 ? null : nowMs + (index - licenseCount / 2) * 3_600_000,
        revokedAtMs: index % 500 === 0 ? nowMs : null,
        tags: index % 5_000 === 0 ? ["rare", "common"] : ["common"],
        searchText: `${key}\nbuyer${index}@example.com`,
      };
    });
    await store.transaction(async (db) => {
      await store.bulk.insert(
        db,
        "licenses",
        licenses.map((license, offset) => ({
          ...licenseRow(license, nowMs),
          ip_count: start + offset === 7 ? 3 : 0,
        })),
      );
      await store.bulk.insert(db, "license_tags", licenses.flatMap(tagRows));
    });
  }
  await store.transaction(async (db) => void (await sql`analyze licenses`.execute(db)));
}
