import { expect, test } from "bun:test";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { makeEvents } from "../../../../tests/support/webhooks.ts";
import { times } from "../../suite/calls.ts";
import type { QuotaCheckRow } from "../../tables.ts";
import { setDailyUsage } from "../products/daily-usage.ts";
import * as checks from "./quota-checks.ts";

const day = 20_000;

onBothDatabases("checks of lowered limits", (fixture) => {
  const { read, write } = fixture.queries(checks);
  const schedule = (organizationIds: readonly string[], settings: Partial<checks.ScheduledQuotaCheck> = {}) =>
    write.addQuotaChecks(organizationIds, {
      ...{ type: "quota.warning", oldMark: 80, day, changed_at: 1_000, check_at: 6_000, ...settings },
    });
  const use = (productId: string, used: number, onDay = day) =>
    fixture.write((db) => setDailyUsage(db, productId, onDay, used));
  const deleteProduct = (id: string) => fixture.change("products", id, { deleted_at: 1 });
  const scheduled = (...productIds: string[]) => fixture.rows("quota_checks", { product_id: productIds });

  test("each product of the organizations is checked that had not reached the old threshold", async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    const [below, reached, yesterday, deleted] = await several(
      4,
      async () => (await org.product()).productId,
    );
    const ids = [org.productId, below, yesterday];
    await use(below, 79);
    await use(reached, 80);
    await use(yesterday, 500, day - 1);
    await deleteProduct(deleted);
    await schedule([]);
    await schedule([org.organizationId]);
    const rows = await scheduled(...ids, reached, deleted, other.productId);
    const check = { type: "quota.warning", day, changed_at: 1_000, check_at: 6_000 } as const;
    expect(rows).toEqual(ids.sort().map((id) => ({ product_id: id, ...check })));
  });

  test("a check that waits already is postponed, and remembers the first change", async () => {
    const { organizationId, productId } = await fixture.organization();
    await schedule([organizationId]);
    await schedule([organizationId], { type: "quota.exhausted" });
    await schedule([organizationId], { changed_at: 2_000, check_at: 7_000, day: day + 1 });
    const rows = await scheduled(productId);
    expect(rows.sort((a, b) => b.check_at - a.check_at)).toMatchObject([
      { type: "quota.warning", changed_at: 1_000, check_at: 7_000, day: day + 1 },
      { type: "quota.exhausted", changed_at: 1_000, check_at: 6_000, day },
    ]);
  });

  test("due checks are read in the order of their times, a product's warning first", async () => {
    const { organizationId, productId } = await fixture.organization();
    // Earlier than the checks of any other test.
    for (const type of ["quota.exhausted", "quota.warning"] as const)
      await schedule([organizationId], { type, check_at: -2 });
    const { organizationId: later, productId: second } = await fixture.organization();
    await schedule([later], { check_at: -1 });
    const due = async (atMs: number, limit = 10) =>
      (await read.dueQuotaChecks(atMs, limit)).map((row) => [row.product_id, row.type]);
    const first = [
      [productId, "quota.warning"],
      [productId, "quota.exhausted"],
    ];
    expect(await due(-2)).toEqual(first);
    expect(await due(-1)).toEqual([...first, [second, "quota.warning"]]);
    expect(await due(-1, 1)).toEqual(first.slice(0, 1));
    await fixture.write((db) => db.deleteFrom("quota_checks").where("check_at", "<", 0).execute());
  });

  test("a check is claimed by one of several nodes, and by none if it was postponed", async () => {
    const { organizationId, productId } = await fixture.organization();
    await schedule([organizationId]);
    const [check] = await scheduled(productId);
    const claim = (row: QuotaCheckRow | undefined) =>
      fixture.write(async (db) => row !== undefined && (await checks.claimQuotaCheck(db, row)));
    await schedule([organizationId], { check_at: 7_000 });
    expect(await claim(check)).toBe(false);
    const [postponed] = await scheduled(productId);
    const claimed = await Promise.all(times(4, () => claim(postponed)));
    expect(claimed.filter(Boolean)).toHaveLength(1);
    expect(await scheduled(productId)).toEqual([]);
  });

  test("the usage of a day is read with the terms that limit it, unless the product is deleted", async () => {
    const { organizationId, productId } = await fixture.organization({ plan: "pro", dailyLimit: 500 });
    await use(productId, 7);
    const usage = (onDay = day) => write.lockedUsage(productId, onDay);
    const terms = { plan: "pro", billing_state: "active", daily_limit_override: 500 };
    expect(await usage()).toEqual({ used: 7, organization_id: organizationId, ...terms } as never);
    expect(await usage(day + 1)).toBeUndefined();
    await deleteProduct(productId);
    expect(await usage()).toBeUndefined();
  });

  test("an event counts as recorded if it has the same product and type and is not older", async () => {
    const { organizationId, productId } = await fixture.organization();
    const atMs = Date.now();
    await makeEvents(fixture.store, organizationId, 1, { product_id: productId, type: "quota.warning" });
    const check = { product_id: productId, type: "quota.warning" } as const;
    const recorded = (wanted: Partial<QuotaCheckRow>, sinceMs = atMs - 10, organization = organizationId) =>
      read.wasRecordedSince(organization, { ...check, ...wanted }, sinceMs);
    expect(await recorded({})).toBe(true);
    expect(await recorded({ type: "quota.exhausted" })).toBe(false);
    expect(await recorded({ product_id: newId() })).toBe(false);
    expect(await recorded({}, atMs + 60_000)).toBe(false);
    expect(await recorded({}, atMs - 10, newId())).toBe(false);
  });
});
