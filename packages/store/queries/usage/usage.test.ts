import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import { makeEvents } from "../../../../tests/support/webhooks.ts";
import { deleteProduct } from "../products/products.ts";
import * as daily from "./daily.ts";
import { organizationUsage, setDailyUsage } from "./daily.ts";
import * as quotaNotices from "./quota-notices.ts";
import { estimatedRows } from "./row-counts.ts";

onBothDatabases("daily usage", (fixture) => {
  const { read } = fixture.queries(daily);
  const use = (productId: string, used: Record<number, number>) =>
    fixture.write(async (db) => {
      for (const [day, count] of Object.entries(used)) await setDailyUsage(db, productId, Number(day), count);
    });

  test("usage is read from a day on, of some products, by product or added up", async () => {
    const { productId, product } = await fixture.organization();
    const other = await product();
    await use(productId, { 99: 9, 100: 3, 101: 4 });
    await use(other.productId, { 100: 50 });
    const own = await read.usageSince([productId], 100);
    expect(own.map(({ day, used }) => [day, used]).sort()).toEqual([
      [100, 3],
      [101, 4],
    ]);
    const both = await read.usageByDay([productId, other.productId], 100);
    expect(Object.fromEntries(both.map(({ day, used }) => [day, used]))).toEqual({ 100: 53, 101: 4 });
    expect(await read.usageSince([], 100)).toEqual([]);
  });

  test("usage of an organization includes deleted products, and is read along indexes, in steps", async () => {
    const { organizationId, productId, product } = await fixture.organization();
    const deleted = await product();
    await use((await fixture.organization()).productId, { 100: 1_000 });
    await use(deleted.productId, { 100: 5 });
    await fixture.write((db) => deleteProduct(db, deleted.productId, 1));
    const template = await fixture.row("products", { id: productId });
    const ids = Array.from({ length: 210 }, () => newId());
    const days = { used: 2, last_granted: 0, daily_limit: null };
    const { bulk } = fixture.store;
    await fixture.write(async (db) => {
      const rows = ids.map((id, at) => ({ ...template, id, created_at: Math.floor(at / 3) }));
      await bulk.insert(db, "products", rows);
      const used = ids.flatMap((product_id) => [60, 99, 100].map((day) => ({ product_id, day, ...days })));
      await bulk.insert(db, "daily_usage", used);
    });
    const { store, plans } = watched(fixture.store);
    const usage = await organizationUsage(store.listReads, organizationId, 70);
    expect(Object.fromEntries(usage)).toEqual({ 99: 420, 100: 425 });
    const whole = fixture.kind === "sqlite" ? /SCAN (?!CONSTANT)/ : /Seq Scan/;
    for (const { text, plan } of await plans()) expect(whole.test(plan) ? `${text}\n${plan}` : "").toBe("");
  });
});

onBothDatabases("notices of reached limits", (fixture) => {
  const { read, write } = fixture.queries(quotaNotices);
  test("notices are stored once, and counted up to a limit", async () => {
    const { organizationId: organization_id, productId: product_id } = await fixture.organization();
    const notice = (day: number, type: "quota.warning" | "quota.exhausted") => {
      return { organization_id, product_id, day, type };
    };
    const first = notice(-50, "quota.warning");
    const added = await Promise.all([write.addNotice(first), write.addNotice(first)]);
    expect(added.sort()).toEqual([false, true]);
    for (const one of [notice(-50, "quota.exhausted"), notice(-49, "quota.warning")])
      await write.addNotice(one);
    const asked = [notice(-50, "quota.warning"), notice(-40, "quota.warning")];
    expect((await read.storedNotices(asked)).map(({ day }) => day)).toEqual([-50, -50]);
    expect(await read.storedNotices([])).toEqual([]);
    expect(await read.countNotices(organization_id, -50, 9)).toBe(2);
    expect(await read.countNotices(organization_id, -50, 1)).toBe(1);
    expect(await read.countNotices(organization_id, -49, 9)).toBe(1);
  });

  test("notices are made from events about limits only, oldest first, which are read along their own index", async () => {
    const { organizationId, productId } = await fixture.organization();
    const at = Date.UTC(2090, 0);
    await makeEvents(fixture.store, newId(), 5_000, { undistributed: null });
    for (const [index, type] of (["quota.warning", "license.created", "quota.exhausted"] as const).entries())
      await makeEvents(fixture.store, organizationId, 1, { type, product_id: productId, at: at + index });
    const { store, plans } = watched(fixture.store);
    const after = async (ms: number) => {
      const events = await quotaNotices.quotaEventsAfter(store.listReads, { at: ms, id: "" }, 9);
      return events.filter((event) => event.organization_id === organizationId).map(({ type }) => type);
    };
    expect(await after(at)).toEqual(["quota.warning", "quota.exhausted"]);
    expect(await after(at + 1)).toEqual(["quota.exhausted"]);
    const wrong = fixture.kind === "sqlite" ? /SCAN|TEMP B-TREE/ : /Seq Scan|Sort/;
    for (const { plan } of await plans()) {
      expect(plan).toContain("events_of_quota");
      expect(plan).not.toMatch(wrong);
    }
  });
});

onBothDatabases("counts of rows", (fixture) => {
  test("rows of an organization are counted exactly up to a limit and estimated beyond it, along an index", async () => {
    const { organizationId } = await fixture.organization();
    const startMs = Date.UTC(2030, 0, 1);
    const rows = Array.from({ length: 400 }, (_, at) => ({
      ...{ id: newId(), organization_id: organizationId, product_id: null, license_id: null, data: "{}" },
      ...{ type: "license.created" as const, at: startMs + at * 1_000, undistributed: null },
    }));
    await fixture.write((db) => fixture.store.bulk.insert(db, "events", rows));
    const { store, plans } = watched(fixture.store);
    const count = (limits?: { rowsAtOnce: number; maxCounted: number }) =>
      estimatedRows(store.listReads, "events", organizationId, startMs + 400_000, limits);
    expect(await count()).toBe(400);
    expect(await count({ rowsAtOnce: 30, maxCounted: 1_000 })).toBe(400);
    expect(await count({ rowsAtOnce: 100, maxCounted: 400 })).toBe(401);
    expect(await count({ rowsAtOnce: 50, maxCounted: 100 })).toBeCloseTo(400, -1);
    for (const table of ["events", "audit_log"] as const)
      expect(await estimatedRows(store.listReads, table, newId(), startMs)).toBe(0);
    const bad = fixture.kind === "sqlite" ? /SCAN|TEMP B-TREE/ : /Seq Scan|Sort/;
    for (const { text, plan } of await plans()) expect(bad.test(plan) ? `${text}\n${plan}` : "").toBe("");
  });
});
