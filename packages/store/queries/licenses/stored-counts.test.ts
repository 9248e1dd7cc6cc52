import { expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import { foldCounts } from "../../postgres/fold-counts.ts";
import { validate, validateAll } from "../../suite/calls.ts";
import * as removal from "../organizations/remove-data.ts";
import * as changes from "./changes.ts";
import { countLicenses } from "./count-filtered.ts";
import { createLicenses, licenseRow, type NewLicense } from "./create.ts";
import { everyLicenseOf, type LicenseFilter } from "./filter.ts";
import * as recount from "./stored-counts.ts";
import * as counts from "./stored-counts.ts";
import * as views from "./views.ts";

const unhurried = { timeoutMs: 60_000 };
const { deleting, extending, reinstating, revoking, settingExpiry } = changes;

onBothDatabases("the stored counts of licenses", (fixture) => {
  const { read, write } = fixture.queries({ ...removal, ...changes, ...recount, ...counts, ...views });
  /** What a server does every second on PostgreSQL. */
  const fold = async () => {
    const { reads } = fixture.store.withOwnConnections("jobs");
    if (fixture.kind === "postgres") while ((await foldCounts(reads)) > 0);
  };
  const wrongOf = async (organizationId: string) =>
    (await read.wrongCounts()).filter((row) => row.organization_id === organizationId);
  const rowsOf = async (organization_id: string) => {
    const products = await fixture.rows("products", { organization_id, deleted_at: null });
    return fixture.rows("licenses", { product_id: products.map(({ id }) => id) });
  };
  const create = async (
    { organizationId, productId }: Pick<TestOrganization, "organizationId" | "productId">,
    count: number,
    settings: Partial<NewLicense> = {},
  ) => {
    const common = { organizationId, productId, customerId: null, ...settings };
    const made = Array.from({ length: count }, () => ({ ...common, id: newId(), key: newId() }));
    await fixture.write((db) => createLicenses(db, made, Date.now()));
    return made;
  };

  /** Compares all counts with the licenses themselves. */
  const check = async (organizationId: string, productId: string, what: string) => {
    expect(await wrongOf(organizationId), what).toEqual([]);
    const rows = await rowsOf(organizationId);
    const { listReads } = fixture.store;
    const [end = 1] = rows.flatMap(({ expires_at }) => expires_at ?? []);
    const [revoked = 1] = rows.flatMap(({ revoked_at }) => revoked_at ?? []);
    for (const nowMs of [Date.now(), end - 1, end, revoked]) {
      const others: Partial<LicenseFilter>[] = [
        { productId },
        { neverUsed: true, hasNotes: false },
        { neverUsed: false },
        { expiresByMs: nowMs + 3.5 * dayMs },
      ];
      for (const status of [null, "active", "expired", "revoked"] as const)
        for (const other of [{}, ...others]) {
          const filter = { ...everyLicenseOf(organizationId), ...other, status };
          expect(counts.hasStoredCount(filter)).toBe(true);
          const why = `${what}: ${JSON.stringify(other)} ${status} at ${nowMs}`;
          // No count is stored by IP addresses, so these are counted one by one.
          const oneByOne = await countLicenses(fixture.store, { ...filter, minIps: 0 }, nowMs, unhurried);
          expect(await counts.storedCount(listReads, filter, nowMs), why).toBe(oneByOne.count);
        }
      const today = Math.floor(nowMs / dayMs);
      const daysUntil = (ms: number | null) => Math.floor((ms ?? 0) / dayMs) - today;
      const created = Array.from({ length: 15 }, (_, day) => {
        return rows.filter((row) => daysUntil(row.created_at) === day - 12).length;
      });
      expect(await counts.createdByDay(listReads, organizationId, today - 12, 15), what).toEqual(created);
      const active = rows.filter((row) => row.revoked_at === null && (row.expires_at ?? 0) > nowMs);
      const expiring = [0, 1, 2].map((week) => {
        return active.filter((row) => Math.floor(daysUntil(row.expires_at) / 7) === week).length;
      });
      expect(await counts.expiringByWeek(listReads, organizationId, nowMs, 3), what).toEqual(expiring);
      for (const [fromMs, toMs] of [
        [nowMs - 132 * hourMs, nowMs + 53 * hourMs],
        [nowMs, nowMs + 1],
        [nowMs, nowMs],
      ] as const)
        for (const ofProduct of [null, productId]) {
          const of = { organizationId, productId: ofProduct };
          const range = { fromMs, toMs };
          const mine = rows.filter((row) => ofProduct === null || row.product_id === ofProduct);
          const kept = mine.filter((row) => row.revoked_at === null);
          const within = (ms: number | null) => ms !== null && ms >= fromMs && ms < toMs;
          const checks = [
            [counts.createdBetween, mine.map((row) => row.created_at)],
            [counts.revokedBetween, mine.map((row) => row.revoked_at)],
            [counts.expiringBetween, kept.map((row) => row.expires_at)],
          ] as const;
          for (const [countBetween, times] of checks) {
            const why = `${what}: ${countBetween.name} ${JSON.stringify({ of, range })}`;
            expect(await countBetween(listReads, of, range), why).toBe(times.filter(within).length);
          }
        }
    }
  };

  test("stored counts are right after any sequence of changes, at any time of day", async () => {
    const below = (most: number) => Math.floor(Math.random() * most);
    const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
    const org = await fixture.organization();
    const { organizationId } = org;
    const products: { productId: string; apiKey: string }[] = [org, await org.product()];
    const timeMs = (days: number) => Date.now() + (below(days) - 5) * dayMs + below(dayMs);
    const settings = (): Partial<NewLicense> => ({
      ...one([{ expiresAtMs: timeMs(20) }, { termMs: 1_000 + below(9 * dayMs) }, {}]),
      ...one([{ notes: "By hand" }, {}]),
      ...one([{ revokedAtMs: timeMs(5) }, {}, {}]),
      createdAtMs: timeMs(5),
    });
    const some = async () => {
      const ids = idsOf(await rowsOf(organizationId));
      const start = below(ids.length);
      return read.licenseViews(ids.slice(start, start + 1 + below(9)));
    };
    const nowMs = Date.now();
    const changes = [
      () => revoking(null, nowMs + below(dayMs)),
      () => reinstating(nowMs),
      () => extending({ ms: below(3 * dayMs) }, nowMs),
      () => settingExpiry(one([null, timeMs(20)]), nowMs),
      () => deleting(),
    ];
    const operations: Record<string, () => Promise<unknown>> = {
      create: () => create({ organizationId, ...one(products) }, 1 + below(30), settings()),
      import: () => {
        const common = { organizationId, productId: one(products).productId, customerId: null };
        const rows = Array.from({ length: 1 + below(30) }, () =>
          licenseRow({ ...common, ...settings(), id: newId(), key: newId() }, nowMs),
        );
        return fixture.write((db) => fixture.store.bulk.insert(db, "licenses", rows));
      },
      change: async () => {
        const change = one(changes)();
        const licenses = await some();
        await fixture.write(async (db) => change.apply(db, await change.affected(db, licenses)));
      },
      edit: async () => {
        const [license] = await some();
        const columns = { notes: one([null, "Changed"]), product_id: one(products).productId };
        if (license !== undefined) await write.changeLicense(license, columns, null, nowMs);
      },
      validate: async () => {
        const licenses = await some();
        const calls = licenses.map(({ license_key: key, product_id: id }) =>
          validate(products.find(({ productId }) => productId === id)?.apiKey ?? "", key),
        );
        await validateAll(fixture.store, calls);
      },
      "delete a product": async () => {
        if (products.length < 3) return void products.push(await org.product());
        const deleted = products.pop()?.productId ?? "";
        await fixture.change("products", deleted, { deleted_at: 1 });
      },
      fold,
    };
    await create(org, 30, settings());
    const names = Object.keys(operations);
    const done: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const name = names[round] ?? one(names);
      done.push(name);
      await operations[name]?.();
      const what = done.join(", ");
      if (round % 20 === 19) await check(organizationId, org.productId, what);
      else expect(await wrongOf(organizationId), what).toEqual([]);
    }
  });

  test("stored counts are right after concurrent writes, also while they are folded", async () => {
    const org = await fixture.organization();
    const licenses = await create(org, 60, { termMs: dayMs });
    const change = (from: number, { apply }: ReturnType<typeof deleting>) =>
      licenses.slice(from, from + 20).map(({ id }) =>
        fixture.write(async (db) => {
          await fixture.store.bulk.lockLicenses(db, [id]);
          await apply(db, await views.licenseViews(db, [id]));
        }),
      );
    await Promise.all([
      validateAll(
        fixture.store,
        licenses.map(({ key }) => validate(org.apiKey, key)),
      ),
      ...change(0, revoking(null, 1)),
      ...change(10, deleting()),
      fold(),
      ...change(30, settingExpiry(Date.now() + dayMs, 1)),
      ...Array.from({ length: 10 }, (_, index) =>
        create(org, 20, { expiresAtMs: Date.now() + index * dayMs }),
      ),
      fold(),
    ]);
    await check(org.organizationId, org.productId, "after concurrent writes");
    await fold();
    await check(org.organizationId, org.productId, "after folding them");
  });

  test("stored counts are exact within a day on which thousands of licenses expire", async () => {
    const org = await fixture.organization();
    const endMs = Date.UTC(2031, 4, 5, 12);
    const ends = { [endMs]: 2_100, [endMs - 60_000]: 3, [endMs + 60_000]: 2 };
    for (const [expiresAtMs, count] of Object.entries(ends))
      await create(org, count, { expiresAtMs: Number(expiresAtMs) });
    const filter = { ...everyLicenseOf(org.organizationId), status: "expired" } as const;
    const moments = [-120_000, -1, 0, 120_000, dayMs].map((ms) => endMs + ms);
    const found: number[] = [];
    for (const nowMs of moments) found.push(await counts.storedCount(fixture.store.listReads, filter, nowMs));
    expect(found).toEqual([0, 3, 2_103, 2_105, 2_105]);
  });

  test("thousands of licenses that were created or revoked within hours are counted in slices", async () => {
    const org = await fixture.organization();
    const { organizationId } = org;
    const createdAtMs = Date.UTC(2025, 4, 5, 12);
    await create(org, 4_100, { createdAtMs });
    await create(org, 3, { createdAtMs: createdAtMs + 1, revokedAtMs: createdAtMs + 1 });
    for (const day of [2, 4, 6])
      await create(org, 1_500, { createdAtMs: 1, revokedAtMs: createdAtMs + day * dayMs });
    const watching = watched(fixture.store);
    const { listReads } = watching.store;
    for (const productId of [null, org.productId]) {
      const [of, fromMs] = [{ organizationId, productId }, createdAtMs];
      const before = watching.count();
      expect(await counts.createdBetween(listReads, of, { fromMs, toMs: fromMs + 2 })).toBe(4_103);
      expect(await counts.createdBetween(listReads, of, { fromMs, toMs: fromMs + 1 })).toBe(4_100);
      const between = watching.count();
      expect(await counts.revokedBetween(listReads, of, { fromMs, toMs: fromMs + 6 * dayMs })).toBe(3_003);
      expect(await counts.revokedBetween(listReads, of, { fromMs, toMs: fromMs + 7 * dayMs })).toBe(4_503);
      // Two for each slice, and one for each subquery.
      expect([between - before, watching.count() - between]).toEqual([6 * 2, 5 * 2 + 2]);
    }
  });

  test("no count is stored for a filter by customer, tag, IP addresses or words", () => {
    for (const filter of [{ customerId: "x" }, { tag: "x" }, { minIps: 1 }, { words: ["x"] }])
      expect(counts.hasStoredCount({ ...everyLicenseOf("o"), ...filter })).toBe(false);
  });

  test("a recount repairs stored counts during concurrent writes", async () => {
    const org = await fixture.organization();
    await create(org, 50);
    await fold();
    const flags = { is_revoked: 1, is_used: 1, has_notes: 1, fact: "expires" } as const;
    const ids = { organization_id: org.organizationId, product_id: org.productId };
    await fixture.write(async (db) => {
      await db.deleteFrom("license_counts").where("product_id", "=", org.productId).execute();
      const wrong = { ...flags, ...ids, day: 9, licenses: 7 };
      await db.insertInto("license_counts").values(wrong).execute();
    });
    expect((await wrongOf(org.organizationId)).length).toBeGreaterThan(1);
    const [repaired] = await Promise.all([
      recount.recountLicenses(fixture.store),
      create(org, 50),
      create(org, 50),
    ]);
    expect(repaired).toBeGreaterThan(1);
    expect(await wrongOf(org.organizationId)).toEqual([]);
  });

  test("all licenses are counted, without those of deleted products, and none of a removed organization", async () => {
    const [org, removed] = [await fixture.organization(), await fixture.organization()];
    const before = await read.countEveryLicense();
    const { productId } = await org.product();
    await create(org, 3);
    await create({ ...org, productId }, 5);
    await create(removed, 7);
    expect((await read.countEveryLicense()) - before).toBe(15);
    await fixture.change("products", productId, { deleted_at: 1 });
    expect((await read.countEveryLicense()) - before).toBe(10);
    while (await write.removeSome(removed.organizationId, 50));
    await fold();
    const kept = fixture.reads.selectFrom("license_counts").select("day");
    expect(await kept.where("organization_id", "=", removed.organizationId).execute()).toEqual([]);
    expect((await read.countEveryLicense()) - before).toBe(3);
  });
});
