import { beforeAll, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { expiringDays, expiringUntilMs } from "@countersign/domain/licenses/expiring";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { dueLicenses, expiringSoon, stillDue } from "../events/expiries.ts";
import { countLicenses } from "./count-filtered.ts";
import { createLicenses, type NewLicense } from "./create.ts";
import { everyLicenseOf } from "./filter.ts";
import { licenseBatches, licensePage } from "./list.ts";
import { expiringBetween, storedCount } from "./stored-counts.ts";

const nowMs = Date.UTC(2030, 0, 1, 9);
const untilMs = nowMs + expiringDays * dayMs;
const unhurried = { timeoutMs: 60_000 };

/** In the order of their expiry; a deleted product has the same. */
const licenses: readonly [name: string, isExpiring: boolean, columns: Partial<NewLicense>][] = [
  ["expired long ago", false, { expiresAtMs: nowMs - 40 * dayMs }],
  ["expires now, so has expired", false, { expiresAtMs: nowMs }],
  ["expires in a millisecond", true, { expiresAtMs: nowMs + 1 }],
  ["expires in ten days", true, { expiresAtMs: nowMs + 10 * dayMs }],
  ["expires in ten days and was used", true, { expiresAtMs: nowMs + 10 * dayMs, firstUsedAtMs: 1 }],
  ["revoked, and would expire in ten days", false, { expiresAtMs: nowMs + 10 * dayMs, revokedAtMs: 1 }],
  ["expires at the end of the period", true, { expiresAtMs: untilMs }],
  ["revoked, and would expire at the end", false, { expiresAtMs: untilMs, revokedAtMs: 1 }],
  ["expires after the period", false, { expiresAtMs: untilMs + 1 }],
  ["has not started its term", false, { termMs: dayMs }],
  ["never expires", false, {}],
];

onBothDatabases("licenses that expire within some days", (fixture) => {
  let own: TestOrganization;
  const names = new Map<string, string>();
  const expiring = licenses.filter(([, isExpiring]) => isExpiring).map(([name]) => name);
  const named = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? "of a deleted product");
  const filterOf = (part: object = {}) => {
    const filter = { ...everyLicenseOf(own.organizationId), ...part };
    return { ...filter, expiresByMs: expiringUntilMs(nowMs, expiringDays) };
  };
  const idsOf = async (part: object, by: "expires_at" | "created_at" = "expires_at") => {
    const order = { by, descending: false };
    return named((await licensePage(fixture.store, { filter: filterOf(part), order, nowMs }, null, 100)).ids);
  };

  beforeAll(async () => {
    own = await fixture.organization();
    const deleted = await own.product();
    for (const { productId } of [own, deleted]) {
      const made = licenses.map(([name, , columns], index) => {
        const id = newId();
        if (productId === own.productId) names.set(id, name);
        const owners = { organizationId: own.organizationId, productId, customerId: null };
        return { ...owners, id, key: id, createdAtMs: 1_000 + index, ...columns };
      });
      await fixture.write((db) => createLicenses(db, made, nowMs));
      await fixture.change("products", productId, { expiring_soon_days: expiringDays });
    }
    await fixture.change("products", deleted.productId, { deleted_at: 1 });
  });

  test("the list, counts, changes in bulk, exports, figures and reminders have the same licenses", async () => {
    const { store } = fixture;
    const db = store.listReads;
    expect(await idsOf({})).toEqual(expiring);
    expect(await idsOf({}, "created_at")).toEqual(expiring);
    const batches = await Array.fromAsync(licenseBatches(store, filterOf(), null, 2, nowMs));
    expect(named(batches.flatMap(({ ids }) => ids)).sort()).toEqual(expiring.toSorted());
    const { organizationId, productId } = own;
    const range = { fromMs: nowMs + 1, toMs: untilMs + 1 };
    const counts = [
      await storedCount(db, filterOf(), nowMs),
      await storedCount(db, filterOf({ status: "active", productId }), nowMs),
      (await countLicenses(store, filterOf(), nowMs, unhurried)).count,
      // These are counted one by one.
      (await countLicenses(store, filterOf({ minIps: 0 }), nowMs, unhurried)).count,
      await expiringBetween(db, { organizationId, productId: null }, range),
    ];
    expect(counts).toEqual(counts.map(() => expiring.length));
    const all = [...names.keys()];
    expect(named(await expiringSoon(db, all, nowMs)).sort()).toEqual(expiring.toSorted());
    const warning = { type: "license.expiring_soon", days: expiringDays, untilMs: nowMs } as const;
    const due = { ...warning, organizationIds: [organizationId], afterMs: 0 };
    expect(named(await stillDue(db, due, all)).sort()).toEqual(expiring.toSorted());
    const announced = await Array.fromAsync(dueLicenses(db, due));
    expect(named(announced.flat()).sort()).toEqual(expiring.toSorted());
  });

  test.each(["revoked", "expired"] as const)("no %s license expires within some days", async (status) => {
    expect(await idsOf({ status })).toEqual([]);
    expect(await storedCount(fixture.store.listReads, filterOf({ status }), nowMs)).toBe(0);
    const oneByOne = filterOf({ status, minIps: 0 });
    expect(await countLicenses(fixture.store, oneByOne, nowMs, unhurried)).toEqual({ count: 0, exact: true });
  });
});
