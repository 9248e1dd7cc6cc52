import { expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { addLicense } from "../../../../tests/support/add-license.ts";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import type { TestOrganization } from "../../../../tests/support/test-organization.ts";
import { allProducts, type RollUps } from "../../rollups/roll-up.ts";
import type { RequestLogRow } from "../../tables/journal.ts";
import { deleteProduct } from "../products/products.ts";
import { setDailyUsage } from "../usage/daily.ts";
import { countRequests, refusalsByLicense, type Scope } from "./figures.ts";
import { unusualLicenseDays } from "./license-days.ts";
import * as queries from "./listed-licenses.ts";
import { withOpenTail } from "./open-tail.ts";
import { countUniques, partsOf } from "./uniques.ts";

onBothDatabases("analytics", (fixture) => {
  const { read } = fixture.queries(queries);
  /** Later than all requests that are in the roll-ups already. */
  let latestMs = Date.UTC(2040, 0, 1);
  const laterDay = () => {
    latestMs += 10 * dayMs;
    const day = latestMs / dayMs;
    return { startMs: latestMs, firstHour: latestMs / hourMs, days: { first: day, last: day } };
  };
  /** Logs requests, and reads both before they are in the roll-ups and after it: the results must be the same. */
  const figures = async <T>(
    org: TestOrganization,
    rows: readonly Partial<RequestLogRow>[],
    read: (tail: RollUps, scope: (productId?: string) => Scope) => Promise<T>,
  ): Promise<T> => {
    const { organizationId, productId } = org;
    await fixture.log(
      rows.map((row) => ({ organization_id: organizationId, product_id: productId, ...row })),
    );
    const scope = (product = allProducts) => ({ organizationId, productId: product });
    const result = (isOpen: boolean) =>
      withOpenTail(fixture.store.listReads, organizationId, null, (tail) => {
        expect(tail.hours.length > 0).toBe(isOpen);
        return read(tail, scope);
      });
    const open = await result(true);
    await fixture.closeLog(latestMs + 5 * dayMs);
    expect(await result(false)).toEqual(open);
    return open;
  };

  test("requests are counted by hour, outcome and version, of one product and of all", async () => {
    const { startMs, firstHour } = laterDay();
    const org = await fixture.organization();
    const other = await org.product();
    const rows = [
      { at: startMs - 1 },
      { at: startMs, version: "1.0" },
      { at: startMs + hourMs - 1, status: "expired", count: 4 },
      { at: startMs + hourMs, product_id: other.productId },
      { at: startMs + hourMs, sandbox: 1 as const },
      { at: startMs + 2 * hourMs },
    ];
    const range = { from: firstHour, to: firstHour + 2 };
    const { one, all } = await figures(org, rows, async (tail, scope) => {
      const read = (of: Scope) =>
        countRequests(fixture.store.listReads, of, range, [firstHour, firstHour + 1], tail);
      return { one: await read(scope(org.productId)), all: await read(scope()) };
    });
    const sums = (buckets: typeof one) =>
      buckets.map(({ counts }) => [...counts.values()].reduce((sum, count) => sum + count, 0));
    expect(sums(one)).toEqual([5, 0]);
    expect(sums(all)).toEqual([5, 1]);
    const versions = [...(one[0]?.versions ?? [])].map(([name, count]) => [name.includes("1.0"), count]);
    expect(versions).toContainEqual([true, 1]);
  });

  test("different licenses and IP addresses are counted once in each range", async () => {
    const { startMs, firstHour } = laterDay();
    const org = await fixture.organization();
    const rows = [
      { at: startMs, license_id: "l1", ip: "192.0.2.1" },
      { at: startMs + hourMs, license_id: "l1", ip: "192.0.2.2" },
      { at: startMs + 30 * hourMs, license_id: "l2", ip: "192.0.2.1", status: "expired" },
      { at: startMs + 31 * hourMs, ip: "192.0.2.3", status: "license_not_found" },
    ];
    const ranges = [
      { from: firstHour, to: firstHour + 1 },
      { from: firstHour, to: firstHour + 48 },
      { from: firstHour + 20, to: firstHour + 31 },
    ];
    const counted = await figures(org, rows, async (tail, scope) => {
      const uniques = await countUniques(fixture.store.listReads, scope(), ranges, 0, tail);
      return uniques.map(({ licenses, active, ips }) => [licenses.size, active.size, ips.size]);
    });
    expect(counted).toEqual([
      [1, 1, 1],
      [2, 1, 3],
      [1, 0, 1],
    ]);
  });

  const none = { from: 0, to: 0 };
  const days = { from: 1, to: 3 };
  const around = { before: { from: 20, to: 24 }, after: { from: 72, to: 75 } };
  test.each([
    ["within a day", { from: 25, to: 30 }, 0, { days: none, before: { from: 25, to: 30 }, after: none }],
    ["over whole days", { from: 20, to: 75 }, 0, { days, ...around }],
    ["before hours are known", { from: 20, to: 75 }, 96, { days, before: none, after: none }],
  ])("a range %s is read as days and the hours around them", (_, range, hoursSince, expected) => {
    expect(partsOf(range, hoursSince)).toEqual(expected);
  });

  test("licenses are listed by how often they were refused, most refused first", async () => {
    const { startMs, days } = laterDay();
    const org = await fixture.organization();
    const at = startMs;
    const rows = [
      { at, license_id: "seldom", status: "expired", count: 2 },
      { at, license_id: "often", status: "ip_blocked", count: 5 },
      { at, license_id: "often", status: "expired" },
      { at, license_id: "often", status: "active", count: 9 },
      { at: at - 1, license_id: "seldom", status: "expired", count: 90 },
      { at, status: "license_not_found", count: 50 },
    ];
    const refused = await figures(org, rows, (tail, scope) =>
      refusalsByLicense(fixture.store.listReads, scope(org.productId), days, tail),
    );
    expect(refused).toEqual([
      { licenseId: "often", refused: 6, outcomes: { expired: 1, ip_blocked: 5 } },
      { licenseId: "seldom", refused: 2, outcomes: { expired: 2 } },
    ]);
  });

  test("licenses with more IP addresses or devices than usual are found, by day", async () => {
    const { startMs, days } = laterDay();
    const org = await fixture.organization();
    const uses = (license_id: string, ips: number, devices: number, at = startMs) =>
      Array.from({ length: Math.max(ips, devices) }, (_, index) => ({
        ...{ at: at + index, license_id, ip: `192.0.2.${index % ips}`, device_id: `d${index % devices}` },
      }));
    const rows = [
      ...uses("many ips", 4, 1),
      ...uses("many devices", 1, 3),
      ...uses("usual", 3, 2),
      ...uses("earlier", 9, 9, startMs - dayMs),
    ];
    const unusual = await figures(org, rows, async (tail, scope) => {
      const usual = { ips: 3, devices: 2 };
      const read = (sliceLength?: number) =>
        unusualLicenseDays(fixture.store.listReads, { scope: scope(), days, usual }, tail, sliceLength);
      const found = await read();
      expect(new Set(await read(1))).toEqual(new Set(found));
      return found.map((row) => [row.license_id, row.ip_count, row.device_count]).sort();
    });
    expect(unusual).toEqual([
      ["many devices", 1, 3],
      ["many ips", 4, 1],
    ]);
  });

  test("lists show licenses and products of the organization, without deleted products", async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    const deleted = await org.product();
    const second = await org.product();
    const mine = await addLicense(org, { customer: { email: "ada@example.com", name: "Ada" } });
    const gone = await org.license({ productId: deleted.productId });
    const theirs = await other.license();
    await fixture.write(async (db) => {
      await deleteProduct(db, deleted.productId, 1);
      await setDailyUsage(db, second.productId, 100, 7);
      await setDailyUsage(db, second.productId, 99, 70);
      await setDailyUsage(db, org.productId, 99, 80);
      for (const { productId } of [deleted, other]) await setDailyUsage(db, productId, 100, 900);
    });
    const { organizationId } = org;
    expect(await read.listedLicenses(organizationId, [mine.id, gone.id, theirs.id])).toMatchObject([
      { id: mine.id, product_name: "Test Product", customer_name: "Ada", customer_email: "ada@example.com" },
    ]);
    expect(await read.listedLicenses(organizationId, [])).toEqual([]);
    const most = await read.mostUsedProducts(organizationId, null, 100, 9);
    expect(most.map(({ id, used, usedBefore }) => [id, used, usedBefore])).toEqual([
      [second.productId, 7, 70],
      [org.productId, 0, 80],
    ]);
    expect(await read.mostUsedProducts(organizationId, null, 100, 1)).toHaveLength(1);
    const one = await read.mostUsedProducts(organizationId, org.productId, 100, 9);
    expect(idsOf(one)).toEqual([org.productId]);
  });
});
