import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { everyLicenseOf, type LicenseFilter } from "@countersign/store/queries/license-filter";
import {
  countLicenses,
  type LicenseOrder,
  licensePage,
  mostLookedAtForNothing,
} from "@countersign/store/queries/license-list";
import { licenseRow, tagRows } from "@countersign/store/queries/licenses";
import { licensesMade, licensesRunningOut } from "@countersign/store/queries/overview";
import type { Store } from "@countersign/store/store";
import { CompiledQuery, type RootOperationNode, sql } from "kysely";
import { databases, type TestDatabase } from "../support/databases.ts";
import { newId, openSeller, type Seller } from "../support/seller.ts";
import { until } from "../support/until.ts";

const licenseCount = mostLookedAtForNothing + 5_000;

/** How a database goes about it when there are many licenses. */
describe.each(databases)("finding among many licenses on $kind", ({ kind, make }) => {
  let database: TestDatabase;
  let seller: Seller;
  let all: LicenseFilter;
  const nowMs = Date.UTC(2030, 0, 1);
  beforeAll(async () => {
    database = await make();
    seller = await openSeller(database.location);
    all = everyLicenseOf(seller.organizationId);
    await fill(seller, nowMs);
    seller.store.startUpkeep((reason) => expect(reason).toBe("nothing"));
    const isReady = async () => (await seller.store.searchLicenses(newId(), "nothing", 1)) !== null;
    await until("the text index knows all licenses", isReady, 100_000);
  }, 120_000);
  afterAll(async () => {
    await seller.store.close();
    database.remove();
  });

  const filters: [name: string, filter: () => Partial<LicenseFilter>][] = [
    ["nothing", () => ({})],
    ["a product", () => ({ productId: seller.productId })],
    ["a status", () => ({ status: "active" })],
    ["revoked ones", () => ({ status: "revoked" })],
    ["expired ones", () => ({ status: "expired" })],
    ["a common tag", () => ({ tag: "common" })],
    ["a rare tag", () => ({ tag: "rare" })],
    ["a customer", () => ({ customerId: "nobody" })],
    ["an expiry soon", () => ({ expiresByMs: nowMs + 86_400_000 })],
    ["a common part of the text", () => ({ term: "example" })],
    ["a rare part of the text", () => ({ term: `buyer${licenseCount - 1}@` })],
    ["a text that nobody has", () => ({ term: "nowhere to be found" })],
    ["what no index knows", () => ({ neverUsed: false, minIps: 3, hasNotes: true })],
    [
      "all at once",
      () => ({ term: "example", tag: "common", status: "active", productId: seller.productId }),
    ],
  ];
  const orders: LicenseOrder[] = (["created_at", "expires_at", "updated_at"] as const).flatMap((by) =>
    [true, false].map((descending) => ({ by, descending })),
  );

  test.each(filters)("by %s no query reads the whole table", async (_, filter) => {
    const { store, plans } = watched(seller.store);
    for (const order of orders) {
      const first = await licensePage(store, { ...all, ...filter() }, order, null, 50, nowMs);
      if (first.next !== null)
        await licensePage(store, { ...all, ...filter() }, order, first.next, 50, nowMs);
    }
    await countLicenses(store, { ...all, ...filter() }, nowMs);
    for (const { text, plan } of await plans()) {
      const whole = kind === "sqlite" ? /SCAN licenses/ : /Seq Scan on licenses/;
      expect(whole.test(plan) ? `${text}\n${plan}` : "").toBe("");
      // Neither does one that has to sort, unless it names the few that it sorts.
      const sorts = kind === "sqlite" ? /USE TEMP B-TREE/ : /Sort/;
      expect(sorts.test(plan) && !text.includes("where id in") ? `${text}\n${plan}` : "").toBe("");
    }
  });

  test("the overview's charts look at ten thousand along an index, and say where they stopped", async () => {
    const { store, plans } = watched(seller.store);
    const dayMs = 86_400_000;
    const days = { fromMs: nowMs - 29 * dayMs, lengthMs: dayMs, count: 30 };
    const made = await licensesMade(store.alongIndexes, seller.organizationId, days);
    expect(made.at(-2)).toBeNull();
    const weeks = { fromMs: nowMs, lengthMs: 7 * dayMs, count: 12 };
    const ending = await licensesRunningOut(store.alongIndexes, seller.organizationId, weeks);
    expect(ending[0]).toBeGreaterThan(100);
    for (const { text, plan } of await plans()) {
      const along =
        kind === "sqlite" ? /SEARCH licenses USING INDEX/ : /Index Scan (Backward )?using licenses_by/;
      expect(along.test(plan) ? "" : `${text}\n${plan}`).toBe("");
    }
  });

  test("a match that is far down is found by going on from page to page", async () => {
    let found: readonly string[] = [];
    let pages = 0;
    for (let after = null as Parameters<typeof licensePage>[3]; ; ) {
      const order = { by: "created_at", descending: true } as const;
      const page = await licensePage(seller.store, { ...all, minIps: 3 }, order, after, 50, nowMs);
      pages += 1;
      found = [...found, ...page.ids];
      if (page.next === null) break;
      after = page.next;
    }
    expect(found).toHaveLength(1);
    expect(pages).toBe(2);
    const counted = await countLicenses(seller.store, { ...all, minIps: 3 }, nowMs);
    expect(counted).toEqual({ count: 0, exact: false });
  });

  test("counting stops at ten thousand", async () => {
    expect(await countLicenses(seller.store, all, nowMs)).toEqual({ count: 10_000, exact: false });
  });

  test("the text index finds what is rare, says so when it is common, and keeps to the organization", async () => {
    const { store, organizationId } = seller;
    expect(await store.searchLicenses(organizationId, `buyer${licenseCount - 1}@`, 10)).toHaveLength(1);
    expect(await store.searchLicenses(organizationId, "example", 10)).toBeNull();
    expect(await store.searchLicenses(newId(), `buyer${licenseCount - 1}@`, 10)).toEqual([]);
  });
});

async function fill({ store, organizationId, productId }: Seller, nowMs: number): Promise<void> {
  for (let start = 0; start < licenseCount; start += 1_000) {
    const licenses = Array.from({ length: 1_000 }, (_, place) => {
      const index = start + place;
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
        licenses.map((license, place) => ({
          ...licenseRow(license, nowMs),
          ip_count: start + place === 7 ? 3 : 0,
        })),
      );
      await store.bulk.insert(db, "license_tags", licenses.flatMap(tagRows));
    });
  }
  await store.transaction(async (db) => void (await sql`analyze licenses`.execute(db)));
}

/** The store, and how the database would go about each statement that was read through it. */
function watched(store: Store) {
  const seen = new Map<string, { query: CompiledQuery; by: Store["reads"] }>();
  const watching = (by: Store["reads"]) =>
    by.withPlugin({
      transformQuery: ({ node, queryId }) => {
        const query = by.getExecutor().compileQuery(node as RootOperationNode, queryId);
        seen.set(query.sql, { query, by });
        return node;
      },
      transformResult: async ({ result }) => result,
    });
  const watchers: Record<string | symbol, unknown> = {
    reads: watching(store.reads),
    alongIndexes: watching(store.alongIndexes),
  };
  const explain = store.kind === "sqlite" ? "explain query plan " : "explain ";
  return {
    store: new Proxy(store, {
      get: (target, name) => {
        const value = watchers[name] ?? Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    plans: async () => {
      const plans: { text: string; plan: string }[] = [];
      for (const { query, by } of seen.values()) {
        const { rows } = await by.executeQuery(CompiledQuery.raw(explain + query.sql, [...query.parameters]));
        const plan = rows.map((row) => Object.values(row as object).join(" ")).join("\n");
        plans.push({ text: query.sql.slice(0, 600), plan });
      }
      return plans;
    },
  };
}
