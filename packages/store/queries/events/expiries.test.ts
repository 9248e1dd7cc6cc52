import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import { times } from "../../suite/calls.ts";
import type { NewLicense } from "../licenses/create.ts";
import type { Due } from "./expiries.ts";
import * as queries from "./expiries.ts";

const nowMs = Date.UTC(2030, 5, 1);
const warning = { type: "license.expiring_soon", days: 7 } as const;

onBothDatabases("licenses that expire", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const deleteProduct = (id: string) => fixture.change("products", id, { deleted_at: 1 });

  const dueIds = async (due: Due, sliceLength?: number) => {
    const ids: string[] = [];
    for await (const slice of queries.dueLicenses(fixture.reads, due, sliceLength)) ids.push(...slice);
    return ids;
  };

  test("licenses that expire at the same time are each read once, however many were recorded before", async () => {
    const { organizationId, license } = await fixture.organization();
    const made = await several(25, () => license({ expiresAtMs: nowMs }));
    const earlier = await several(5, () => license({ expiresAtMs: nowMs - 1 }));
    const ids = [...idsOf(earlier).sort(), ...idsOf(made).sort()];
    const due = expiredToday(organizationId);
    expect(await dueIds(due, 10)).toEqual(ids);
    const recorded = idsOf(made).map((license_id) => ({ license_id, type: due.type, ends_at: nowMs }));
    await write.markExpiriesRecorded(recorded.slice(1));
    expect(await dueIds(due, 10)).toEqual([...idsOf(earlier).sort(), made[0].id]);
    const { store, plans, count } = watched(fixture.store);
    for await (const _ of queries.dueLicenses(store.reads, due, 10));
    // The organizations, three full slices and an empty one.
    expect(count()).toBeLessThanOrEqual(2 + 4);
    const slices = (await plans()).filter(({ text }) => text.includes('from "licenses" as "l" inner join'));
    expect(slices).toHaveLength(1);
    for (const { text, plan } of slices) {
      expect(text).toMatch(/ limit (?:\?|\$\d+)$/);
      if (fixture.kind === "sqlite")
        expect(plan).toMatch(
          /licenses_by_expiry \(organization_id=\? AND \(ends_at,id\)>\(\?,\?\) AND ends_at<\?\)/,
        );
    }
  });

  test.each<[what: string, is: "due" | "not due", license: Partial<NewLicense>, due: Partial<Due>]>([
    ["that expires now", "due", { expiresAtMs: nowMs }, {}],
    ["that expires later", "not due", { expiresAtMs: nowMs + 1 }, {}],
    ["that had expired at the last check", "not due", { expiresAtMs: nowMs - dayMs }, {}],
    ["without an expiry", "not due", {}, {}],
    ["that is revoked", "not due", { expiresAtMs: nowMs, revokedAtMs: 1 }, {}],
    ["with a warning now", "due", { expiresAtMs: nowMs + 7 * dayMs }, warning],
    ["with a later warning", "not due", { expiresAtMs: nowMs + 7 * dayMs + 1 }, warning],
    ["with an earlier warning", "not due", { expiresAtMs: nowMs + 6 * dayMs }, warning],
    ["that expired before its warning", "not due", { expiresAtMs: nowMs }, { ...warning, afterMs: 0 }],
    ["with another warning period", "not due", { expiresAtMs: nowMs + 8 * dayMs }, { ...warning, days: 8 }],
  ])("a license %s is %s", async (_what, is, settings, due) => {
    const { organizationId, license } = await fixture.organization();
    const { id } = await license(settings);
    const check = { ...expiredToday(organizationId), ...due };
    expect(await dueIds(check)).toEqual(is === "due" ? [id] : []);
  });

  test("only the licenses of the named organizations and of existing products are due, in slices", async () => {
    const [one, two, other] = await several(3, () => fixture.organization());
    const { productId } = await one.product();
    await deleteProduct(productId);
    await one.license({ productId, expiresAtMs: nowMs });
    const ids: string[] = [];
    for (const org of [one, two, other]) ids.push((await org.license({ expiresAtMs: nowMs })).id);
    const due = expiredToday(one.organizationId, two.organizationId);
    expect((await dueIds(due)).sort()).toEqual(ids.slice(0, 2).sort());
    expect(await dueIds(expiredToday())).toEqual([]);
  });

  test("an expiry is recorded once, by one of the nodes that try at the same time", async () => {
    const { organizationId, license } = await fixture.organization();
    const { id } = await license({ expiresAtMs: nowMs });
    const record = (ends_at = nowMs, type: Due["type"] = "license.expired") =>
      write.markExpiriesRecorded([{ license_id: id, type, ends_at }]);
    const isDue = async () => (await dueIds(expiredToday(organizationId))).includes(id);
    // Another expiry than the current one.
    expect([await record(nowMs - 5), await isDue()]).toEqual([new Set([id]), true]);
    const recorded = await Promise.all(times(4, () => record()));
    expect(recorded.filter((ids) => ids.has(id))).toHaveLength(1);
    expect(await isDue()).toBe(false);
    expect(await record(nowMs, "license.expiring_soon")).toEqual(new Set([id]));
    expect(await write.markExpiriesRecorded([])).toEqual(new Set());
  });

  test("licenses that were renewed or revoked, or whose product was deleted, in the meantime are no longer due", async () => {
    const { organizationId, license, product } = await fixture.organization();
    const { productId } = await product();
    await deleteProduct(productId);
    const due = await license({ expiresAtMs: nowMs });
    const soon = await license({ expiresAtMs: nowMs + 1 });
    const others = [
      { expiresAtMs: nowMs - dayMs },
      { expiresAtMs: nowMs, revokedAtMs: 1 },
      { expiresAtMs: nowMs, productId },
    ];
    const ids = idsOf([due, soon, ...(await Promise.all(others.map(license)))]);
    const check = expiredToday(organizationId);
    expect(await read.stillDue(check, ids)).toEqual([due.id]);
    expect(await read.stillDue(check, [])).toEqual([]);
    expect(await read.stillDue({ ...check, ...warning }, ids)).toEqual([soon.id]);
  });

  test("a license whose expiry is set within the warning period of its product is kept for the next check", async () => {
    const { license } = await fixture.organization({ settings: { expiring_soon_days: 3 } });
    const kept = async () => (await read.unannouncedExpiries(1_000_000)).filter((id) => ids.includes(id));
    // The fixture creates licenses at the current time.
    const now = Date.now();
    const soon = { expiresAtMs: now + 2 * dayMs };
    const [created, late, revoked, ...others] = [
      await license(soon),
      await license({ expiresAtMs: now + 4 * dayMs }),
      await license({ ...soon, revokedAtMs: now }),
      await license({ expiresAtMs: now - 1 }),
      await license(),
    ];
    const ids = idsOf([created, late, revoked, ...others]);
    expect(await kept()).toEqual([created.id]);
    await write.removeUnannouncedExpiries(ids);
    // Neither the expiry nor the revocation changes.
    await fixture.change("licenses", created.id, { notes: "VIP", expires_at: soon.expiresAtMs });
    expect(await kept()).toEqual([]);
    await fixture.change("licenses", late.id, { expires_at: soon.expiresAtMs });
    await fixture.change("licenses", revoked.id, { revoked_at: null });
    expect((await kept()).sort()).toEqual([late.id, revoked.id].sort());
    expect((await read.expiringSoon(ids, now)).sort()).toEqual([created.id, late.id, revoked.id].sort());
    expect(await read.expiringSoon(ids, soon.expiresAtMs)).toEqual([]);
    await write.removeUnannouncedExpiries(ids);
    expect(await kept()).toEqual([]);
  });

  test("the warning periods are those of the organizations' products, each once", async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    for (const days of [30, 30, 14]) await org.product({ expiring_soon_days: days });
    await other.product({ expiring_soon_days: 90 });
    const { productId } = await org.product({ expiring_soon_days: 60 });
    await deleteProduct(productId);
    const found = await read.warningDays([org.organizationId]);
    expect(found.sort((a, b) => a - b)).toEqual([7, 14, 30]);
    expect(await read.warningDays([])).toEqual([]);
  });

  test("organizations are read in the order of their IDs, in slices", async () => {
    const ids = await several(3, async () => (await fixture.organization()).organizationId);
    for (const at of [0, 1] as const)
      expect(await read.organizationIdsAfter(ids[at], 2)).toEqual(ids.slice(at + 1));
  });

  test("recorded refusals of past hours are removed, the oldest first and in slices", async () => {
    const refusal = { license_id: newId(), type: "license.ip_blocked", in_summary: 0 } as const;
    const rows = [1, 1, 2, 3].map((hour, index) => ({ ...refusal, hour, ip: `203.0.113.${index}` }));
    await fixture.write((db) => db.insertInto("recorded_refusals").values(rows).execute());
    const prunedTo = async () => {
      const isMore = await write.pruneRefusals(3, 2);
      const left = await fixture.rows("recorded_refusals", { license_id: refusal.license_id });
      return [isMore, ...left.map(({ hour }) => Number(hour)).sort()];
    };
    expect(await prunedTo()).toEqual([true, 2, 3]);
    expect(await prunedTo()).toEqual([true, 3]);
    expect(await prunedTo()).toEqual([false, 3]);
  });
});

/** What has expired since the last check, a day ago. */
function expiredToday(...organizationIds: string[]): Due {
  return { organizationIds, type: "license.expired", days: 0, afterMs: nowMs - dayMs, untilMs: nowMs };
}
