import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { sql } from "kysely";
import { databases } from "../../../../tests/support/databases.ts";
import { openOwnOrganization } from "../../../../tests/support/own-organization.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { until } from "../../../../tests/support/until.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import { countLicenses } from "./count-filtered.ts";
import { licenseRow, tagRows } from "./create.ts";
import { everyLicenseOf, type LicenseFilter } from "./filter.ts";
import { licensePage, maxScannedForNothing } from "./list.ts";
import type { LicenseOrder, Position } from "./scan.ts";
import { createdByDay, expiringByWeek } from "./stored-counts.ts";

const licenseCount = maxScannedForNothing + 5_000;
const nowMs = Date.UTC(2030, 0, 1);
const unhurried = { timeoutMs: 60_000 };
const orders: LicenseOrder[] = (["created_at", "expires_at", "updated_at"] as const).flatMap((by) =>
  [true, false].map((descending) => ({ by, descending })),
);

/** In databases of their own, so that the statistics are of these licenses. */
describe.each(databases)("a list of many licenses on $kind", ({ kind, make }) => {
  let org: Awaited<ReturnType<typeof openOwnOrganization>>;
  let all: LicenseFilter;
  beforeAll(async () => {
    org = await openOwnOrganization(make);
    all = everyLicenseOf(org.organizationId);
    await fill(org);
    org.store.startUpkeep((reason) => expect(reason).toBe("nothing"));
    const isReady = async () => (await org.store.searchLicenses(newId(), ["nothing"], 1)) !== null;
    await until("the text index is complete", isReady, 100_000);
  }, 120_000);
  afterAll(() => org.close());

  const count = (filter: Partial<LicenseFilter>, limits: Parameters<typeof countLicenses>[3] = unhurried) =>
    countLicenses(org.store, { ...all, ...filter }, nowMs, limits);
  const expectNone = async (plans: ReturnType<typeof watched>["plans"], ofPlan: RegExp, butText?: RegExp) => {
    for (const { text, plan } of await plans()) {
      const isWrong = ofPlan.test(plan) && butText?.test(text) !== true;
      expect(isWrong ? `${text}\n${plan}` : "").toBe("");
    }
  };

  const filters: [name: string, filter: () => Partial<LicenseFilter>][] = [
    ["nothing", () => ({})],
    ["a product", () => ({ productId: org.productId })],
    ["a status", () => ({ status: "active" })],
    ["revoked ones", () => ({ status: "revoked" })],
    ["expired ones", () => ({ status: "expired" })],
    ["a common tag", () => ({ tag: "common" })],
    ["a rare tag", () => ({ tag: "rare" })],
    ["a customer", () => ({ customerId: "nobody" })],
    ["an expiry soon", () => ({ expiresByMs: nowMs + dayMs })],
    ["common text", () => ({ words: ["example"] })],
    ["rare text", () => ({ words: [`buyer${licenseCount - 1}@`] })],
    ["text without a match", () => ({ words: ["nowhere to be found"] })],
    ["several words, one of them rare", () => ({ words: ["example", `buyer${licenseCount - 1}@`] })],
    ["common words", () => ({ words: ["example", "buyer"] })],
    ["unindexed fields", () => ({ neverUsed: false, minIps: 3, hasNotes: true })],
    [
      "all at once",
      () => ({ words: ["example"], tag: "common", status: "active", productId: org.productId }),
    ],
  ];
  test.each(filters)("filtering by %s reads the whole table in no query", async (_, filter) => {
    const { store, plans } = watched(org.store);
    const wanted = { ...all, ...filter() };
    for (const order of orders) {
      const { next } = await licensePage(store, { filter: wanted, order, nowMs }, null, 50);
      if (next !== null) await licensePage(store, { filter: wanted, order, nowMs }, next, 50);
    }
    expect((await countLicenses(store, wanted, nowMs, unhurried)).exact).toBe(true);
    await expectNone(plans, kind === "sqlite" ? /SCAN licenses/ : /Seq Scan on licenses/);
    // No query sorts either, unless it names the few IDs that it sorts.
    await expectNone(plans, kind === "sqlite" ? /USE TEMP B-TREE/ : /Sort/, /where id in/);
  });

  test("the overview's charts read stored counts, and only licenses that expire today", async () => {
    const { store, plans } = watched(org.store);
    const firstDay = Math.floor(nowMs / dayMs) - 29;
    const created = await createdByDay(store.listReads, org.organizationId, firstDay, 30);
    expect(created.reduce((sum, day) => sum + day, 0)).toBe(licenseCount);
    expect(await expiringByWeek(store.listReads, org.organizationId, nowMs, 12)).not.toContain(0);
    const scan = kind === "sqlite" ? "SCAN" : "Seq Scan on";
    await expectNone(plans, new RegExp(`${scan} (licenses|license_counts)\\b`));
  });

  test("a match far down the list is found by following the pages", async () => {
    const newest = { by: "created_at", descending: true } as const;
    const page = (after: Position | null) =>
      licensePage(org.store, { filter: { ...all, minIps: 3 }, order: newest, nowMs }, after, 50);
    const first = await page(null);
    const second = await page(first.next);
    expect([first.ids.length, second.ids.length, second.next]).toEqual([0, 1, null]);
  });

  test("counts are exact for every filter, and concurrent ones all complete", async () => {
    const rare = licenseCount / 5_000;
    const expected: [filter: Partial<LicenseFilter>, count: number][] = [
      [{}, licenseCount],
      [{ minIps: 3 }, 1],
      [{ tag: "common" }, licenseCount],
      [{ tag: "rare" }, Math.ceil(rare)],
      [{ tag: "common", status: "revoked" }, licenseCount / 500],
      ...Array(4).fill([{ words: ["example"] }, licenseCount]),
    ];
    const counted = await Promise.all(expected.map(([filter]) => count(filter)));
    expect(counted).toEqual(expected.map(([, wanted]) => ({ count: wanted, exact: true })));
    const active = (await count({ tag: "common", status: "active" })).count;
    const expired = (await count({ tag: "common", status: "expired" })).count;
    expect(active + expired + licenseCount / 500).toBe(licenseCount);
  });

  test("a count that times out or is aborted returns what it found", async () => {
    for (const limits of [{ timeoutMs: 0 }, { ...unhurried, signal: AbortSignal.abort() }]) {
      const { count: found, exact } = await count({ words: ["example"] }, limits);
      expect(exact).toBe(false);
      expect(found).toBeWithin(1, licenseCount);
    }
  });

  test("the text index finds rare text, reports common text, and is limited to the organization", async () => {
    const { store, organizationId } = org;
    const rare = [`buyer${licenseCount - 1}@`];
    expect(await store.searchLicenses(organizationId, rare, 10)).toHaveLength(1);
    expect(await store.searchLicenses(organizationId, ["example"], 10)).toBeNull();
    expect(await store.searchLicenses(newId(), rare, 10)).toEqual([]);
  });
});

async function fill({ store, organizationId, productId }: TestOrganization): Promise<void> {
  for (let start = 0; start < licenseCount; start += 1_000) {
    const licenses = Array.from({ length: 1_000 }, (_, offset) => {
      const index = start + offset;
      return {
        ...{ id: newId(), organizationId, productId, customerId: null, key: `key-${index}` },
        createdAtMs: nowMs - licenseCount + index,
        expiresAtMs: index % 3 === 0 ? null : nowMs + (index - licenseCount / 2) * hourMs,
        revokedAtMs: index % 500 === 0 ? nowMs : null,
        tags: index % 5_000 === 0 ? ["rare", "common"] : ["common"],
        searchText: `key-${index}\nbuyer${index}@example.com`,
      };
    });
    const rows = licenses.map((license) => ({
      ...licenseRow(license, nowMs),
      ip_count: license.key === "key-7" ? 3 : 0,
    }));
    await store.transaction(async (db) => {
      await store.bulk.insert(db, "licenses", rows);
      await store.bulk.insert(db, "license_tags", licenses.flatMap(tagRows));
    });
  }
  await store.transaction(async (db) => void (await sql`analyze licenses`.execute(db)));
}
