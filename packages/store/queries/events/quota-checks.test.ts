import { expect, test } from "bun:test";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { makeEvents } from "../../../../tests/support/webhooks.ts";
import { times } from "../../suite/calls.ts";
import type { QuotaCheckRow } from "../../tables/products.ts";
import { setDailyUsage } from "../usage/daily.ts";
import * as checks from "./quota-checks.ts";

const day = 20_000;
const scheduledAt = { day, changed_at: 1_000, check_at: 6_000 };

onBothDatabases("checks of lowered limits", (fixture) => {
  const { read, write } = fixture.queries({ ...checks, setDailyUsage });
  const schedule = (organizationIds: readonly string[], settings: Partial<checks.ScheduledQuotaCheck> = {}) =>
    write.addQuotaChecks(organizationIds, {
      type: "quota.warning",
      oldMark: 80,
      ...scheduledAt,
      ...settings,
    });
  const scheduled = (...productIds: string[]) => fixture.rows("quota_checks", { product_id: productIds });
  const deleteProduct = (id: string) => fixture.change("products", id, { deleted_at: 1 });

  test("each product of the organizations is checked that had not reached the old threshold", async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    const added = await several(4, async () => (await org.product()).productId);
    const [below, reached, yesterday, deleted] = added;
    await write.setDailyUsage(below, day, 79);
    await write.setDailyUsage(reached, day, 80);
    await write.setDailyUsage(yesterday, day - 1, 500);
    await deleteProduct(deleted);
    await schedule([]);
    await schedule([org.organizationId]);
    const rows = await scheduled(org.productId, ...added, other.productId);
    const checked = [org.productId, below, yesterday].sort();
    expect(rows).toEqual(
      checked.map((product_id) => ({ product_id, type: "quota.warning", ...scheduledAt })),
    );
  });

  test("a check that waits already is postponed, and remembers the first change", async () => {
    const { organizationId, productId } = await fixture.organization();
    await schedule([organizationId]);
    await schedule([organizationId], { type: "quota.exhausted" });
    await schedule([organizationId], { changed_at: 2_000, check_at: 7_000, day: day + 1 });
    const rows = await scheduled(productId);
    expect(rows.sort((a, b) => b.check_at - a.check_at)).toMatchObject([
      { type: "quota.warning", changed_at: 1_000, check_at: 7_000, day: day + 1 },
      { type: "quota.exhausted", ...scheduledAt },
    ]);
  });

  test("due checks are read in the order of their times, a product's warning first", async () => {
    const [first, second] = [await fixture.organization(), await fixture.organization()];
    // Earlier than the checks of any other test.
    for (const type of ["quota.exhausted", "quota.warning"] as const)
      await schedule([first.organizationId], { type, check_at: -2 });
    await schedule([second.organizationId], { check_at: -1 });
    const due = async (atMs: number, limit = 10) =>
      (await read.dueQuotaChecks(atMs, limit)).map((row) => `${row.product_id} ${row.type}`);
    const ofFirst = [`${first.productId} quota.warning`, `${first.productId} quota.exhausted`];
    expect(await due(-2)).toEqual(ofFirst);
    expect(await due(-1)).toEqual([...ofFirst, `${second.productId} quota.warning`]);
    expect(await due(-1, 1)).toEqual(ofFirst.slice(0, 1));
    await fixture.write((db) => db.deleteFrom("quota_checks").where("check_at", "<", 0).execute());
  });

  test("a check is claimed by one of several nodes, and by none if it was postponed", async () => {
    const { organizationId, productId } = await fixture.organization();
    const next = async (check_at: number) => {
      await schedule([organizationId], { check_at });
      return fixture.row("quota_checks", { product_id: productId });
    };
    const [check, postponed] = [await next(6_000), await next(7_000)];
    expect(await write.claimQuotaCheck(check)).toBe(false);
    const claimed = await Promise.all(times(4, () => write.claimQuotaCheck(postponed)));
    expect(claimed.filter(Boolean)).toHaveLength(1);
    expect(await scheduled(productId)).toEqual([]);
  });

  test("the usage of a day is read with the terms that limit it, unless the product is deleted", async () => {
    const { organizationId, productId } = await fixture.organization({ plan: "pro", dailyLimit: 500 });
    await write.setDailyUsage(productId, day, 7);
    const terms = { plan: "pro", billing_state: "active", daily_limit_override: 500 } as const;
    const usage = { used: 7, organization_id: organizationId, ...terms };
    expect(await write.lockedUsage(productId, day)).toEqual(usage);
    expect(await write.lockedUsage(productId, day + 1)).toBeUndefined();
    await deleteProduct(productId);
    expect(await write.lockedUsage(productId, day)).toBeUndefined();
  });

  test("an event counts as recorded if it has the same product and type and is not older", async () => {
    const { organizationId, productId } = await fixture.organization();
    const atMs = Date.now();
    const check = { product_id: productId, type: "quota.warning" } as const;
    await makeEvents(fixture.store, organizationId, 1, { ...check, at: atMs });
    const recorded = (wanted: Partial<QuotaCheckRow>, sinceMs = atMs, organization = organizationId) =>
      read.wasRecordedSince(organization, { ...check, ...wanted }, sinceMs);
    expect(await recorded({})).toBe(true);
    expect(await recorded({ type: "quota.exhausted" })).toBe(false);
    expect(await recorded({ product_id: newId() })).toBe(false);
    expect(await recorded({}, atMs + 60_000)).toBe(false);
    expect(await recorded({}, atMs, newId())).toBe(false);
  });
});
