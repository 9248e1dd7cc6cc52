import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { registerIp } from "../licenses/create.ts";
import * as queries from "./past-uses.ts";
import { pastUses, useBounds } from "./past-uses.ts";

const nowMs = Date.now() - dayMs;

onBothDatabases("past uses of licenses", (fixture) => {
  const { read, write } = fixture.queries({ ...queries, registerIp });
  test("past uses are the valid validations of a product's licenses in a range, by IP address and version", async () => {
    const org = await fixture.organization();
    const other = await org.product();
    const own = { organization_id: org.organizationId, product_id: org.productId, license_id: "l1" };
    const use = { ...own, ip: "192.0.2.1", version: "1.0" };
    const range = { fromMs: nowMs - 10 * dayMs, untilMs: nowMs };
    await fixture.log([
      { ...use, at: nowMs - 1, count: 3 },
      { ...use, at: range.fromMs },
      { ...use, at: nowMs - 2, version: null },
      { ...use, at: nowMs - 2, ip: "192.0.2.2" },
      { ...use, at: nowMs - 2, license_id: "l2" },
      // None of these counts.
      { ...use, at: nowMs },
      { ...use, at: range.fromMs - 1 },
      { ...use, at: nowMs - 2, status: "expired" },
      { ...use, at: nowMs - 2, status: "found", endpoint: "lookup" },
      { ...use, at: nowMs - 2, sandbox: 1 },
      { ...use, at: nowMs - 2, license_id: null },
      { ...use, at: nowMs - 2, product_id: other.productId },
    ]);
    const found = await pastUses(fixture.store.listReads, org, range);
    expect(found).toMatchObject({ isComplete: true, sinceMs: range.fromMs });
    const first = { licenseId: "l1", ip: "192.0.2.1", version: "1.0" };
    const once = { requests: 1, firstAtMs: nowMs - 2, lastAtMs: nowMs - 2 };
    expect(found.uses).toHaveLength(4);
    const added = { requests: 4, firstAtMs: range.fromMs, lastAtMs: nowMs - 1 };
    expect(found.uses).toContainEqual({ ...first, ...added });
    for (const different of [{ version: null }, { ip: "192.0.2.2" }, { licenseId: "l2" }])
      expect(found.uses).toContainEqual({ ...first, ...once, ...different });
  });

  test.each([
    ["the time is over", { timeoutMs: 0 }],
    ["there are too many", { maxUses: 1 }],
  ])("past uses are read from the newest day on until %s, and say how far that was", async (_, bounds) => {
    const org = await fixture.organization();
    const own = { organization_id: org.organizationId, product_id: org.productId, license_id: "l1" };
    const days = [1, 2, 3].map((ago) => nowMs - ago * dayMs);
    await fixture.log(days.map((at) => ({ ...own, at })));
    const range = { fromMs: nowMs - 10 * dayMs, untilMs: nowMs };
    const part = await pastUses(fixture.store.listReads, org, range, {
      ...{ ...useBounds, clock: () => 0, timeoutMs: 1, ...bounds },
    });
    expect(part.isComplete).toBe(false);
    expect(part.sinceMs).toBeGreaterThan(range.fromMs);
    const requests = part.uses.reduce((sum, use) => sum + use.requests, 0);
    expect(requests).toBe(days.filter((at) => at >= part.sinceMs).length);
    expect(requests).toBeLessThan(3);
  });

  test("past uses are compared with the licenses that still exist and the IP addresses registered to them", async () => {
    const { license } = await fixture.organization();
    const { id, key } = await license();
    const other = await license();
    for (const [at, ip] of ["192.0.2.1", "2001:db8::1", "2001:db8:1::/64"].entries())
      await write.registerIp(id, ip, 10 * (at + 1));
    await write.registerIp(other.id, "192.0.2.9", 5);
    const licenses = await read.shadowedLicenses([id, "deleted"]);
    expect(licenses).toMatchObject([{ id, license_key: key, max_ips: 3 }]);
    const slots = await read.slotsBefore([id, other.id], 20);
    expect([slots.get(id), slots.get(other.id), slots.size]).toEqual([1, 1, 2]);
    const ips = ["192.0.2.1", "192.0.2.9", "2001:db8::/64", "2001:db8::2", "2001:db8:1::7"];
    const times = await read.registrationTimes(ips.map((ip) => ({ licenseId: id, ip })));
    const known = { "192.0.2.1": 10, "2001:db8::/64": 20, "2001:db8:1::7": 30 };
    expect(Object.fromEntries(times.get(id) ?? [])).toEqual(known);
    expect(await read.registrationTimes([])).toEqual(new Map());
  });
});
