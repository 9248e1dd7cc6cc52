import { describe, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { deleteFromLog } from "../../../tests/support/journal.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { type JournalEntry, refusalsAtOnce } from "../journal.ts";
import { openJournal } from "../open.ts";
import { licenseRefusals } from "../queries/requests/license-refusals.ts";
import type { Journal } from "../store.ts";
import { times } from "./calls.ts";
import { type StoreFixture, sharedLog } from "./fixture.ts";

const day = 20_000;
const midnight = day * dayMs;

export function refusals(fixture: StoreFixture) {
  describe("the counts of refused validations", () => {
    const log = sharedLog(fixture);

    const stored = async (licenseId: string) => {
      const rows = await storedRows(log.store.reads, "license_refusals", { license_id: licenseId });
      return rows.sort((a, b) => a.day - b.day || (a.status < b.status ? -1 : 1));
    };
    const since = (sinceMs: number, ...licenseIds: string[]) => {
      const licenses = licenseIds.map((licenseId) => ({ licenseId, sinceMs }));
      return licenseRefusals(log.store.reads, licenses);
    };

    test("there is one per license, UTC day and status", async () => {
      const [license, other, organization] = [newId(), newId(), newId()];
      const at = (atMs: number, status: string, details: Partial<Details> = {}) =>
        refused({ license, organization, atMs, status, ...details });
      await log.journal.append([
        at(midnight - 1, "revoked"),
        at(midnight, "revoked", { ip: "192.0.2.7", version: "2" }),
        at(midnight + 5, "expired"),
        at(midnight + 9, "revoked", { ip: "192.0.2.9", version: null }),
        at(midnight + 8, "revoked"),
        at(midnight + 9, "revoked", { license: other }),
      ]);
      await log.journal.append([at(midnight + 20, "revoked", { ip: "192.0.2.20", version: "3" })]);
      const common = { license_id: license, organization_id: organization };
      const usual = { last_ip: "192.0.2.1", last_version: "1.0" };
      const [before, once] = [midnight - 1, midnight + 5];
      expect(await stored(license)).toEqual([
        { ...common, day: day - 1, status: "revoked", count: 1, first_at: before, last_at: before, ...usual },
        { ...common, day, status: "expired", count: 1, first_at: once, last_at: once, ...usual },
        {
          ...common,
          ...{ day, status: "revoked", count: 4, first_at: midnight },
          ...{ last_at: midnight + 20, last_ip: "192.0.2.20", last_version: "3" },
        },
      ]);
      expect(await stored(other)).toMatchObject([{ day, status: "revoked", count: 1 }]);
    });

    test("active validations, lookups and requests without a license are not counted", async () => {
      const [license, organization] = [newId(), newId()];
      await log.journal.append([
        refused({ license, organization, status: "active" }),
        refused({ license, organization, endpoint: "lookup" }),
        refused({ license: null, organization, status: "license_not_found" }),
      ]);
      const rows = await storedRows(log.store.reads, "license_refusals", { organization_id: organization });
      expect(rows).toEqual([]);
    });

    test("any number of refusals of a license on a day costs one row per status", async () => {
      const license = newId();
      const many = () =>
        times(1_000, (at) => refused({ license, ip: `192.0.2.${at % 256}`, atMs: midnight + at }));
      for (let batch = 0; batch < 3; batch++) await log.journal.append(many());
      expect(await stored(license)).toMatchObject([{ count: 3_000 }]);
    });

    test("a late entry moves the first time back and leaves the last one's details unchanged", async () => {
      const license = newId();
      await log.journal.append([
        refused({ license, atMs: midnight + 50, ip: "192.0.2.50", version: null }),
        refused({ license, atMs: midnight + 40, ip: "192.0.2.40" }),
      ]);
      await log.journal.append([refused({ license, atMs: midnight + 20, ip: "192.0.2.20" })]);
      const times = { first_at: midnight + 20, last_at: midnight + 50 };
      const latest = { last_ip: "192.0.2.50", last_version: null };
      expect(await stored(license)).toMatchObject([{ count: 3, ...times, ...latest }]);
    });

    test("an empty version is stored as empty, even as the only value", async () => {
      const license = newId();
      await log.journal.append([refused({ license, version: "" })]);
      expect(await stored(license)).toMatchObject([{ last_version: "" }]);
    });

    const odd = ["a\0b", "a\x1fb\x1ec", "\uD800", "'; drop table license_refusals; --"];
    test.each(odd)("a version of %j does no harm", async (version) => {
      const [license, other] = [newId(), newId()];
      await log.journal.append([refused({ license, version }), refused({ license: other, version: "1.0" })]);
      expect(await stored(license)).toMatchObject([{ count: 1 }]);
      expect(await stored(other)).toMatchObject([{ count: 1, last_version: "1.0" }]);
    });

    test("entries that are retried after an unknown outcome are not counted twice", async () => {
      const license = newId();
      const first = times(3, () => refused({ license }));
      await log.journal.append(first);
      await log.journal.append([...first, ...times(2, () => refused({ license }))]);
      await log.journal.append(first);
      expect(await stored(license)).toMatchObject([{ count: 5 }]);
    });

    test("two journals that count the same licenses concurrently lose nothing", async () => {
      const second = await openJournal(fixture.location);
      const licenses = times(20, () => newId());
      const write = async (one: Journal, order: readonly string[]) => {
        const entries = () => order.map((license) => refused({ license }));
        for (let round = 0; round < 5; round++) await one.append(entries());
      };
      await Promise.all([write(log.journal, licenses), write(second, licenses.toReversed())]);
      await second.close();
      const counts = await since(midnight, ...licenses);
      expect(counts.map(({ count }) => count)).toEqual(times(20, () => 10));
    });

    test("pruning removes days that ended before the limit, a bounded number at a time", async () => {
      // Older than the rows of any other test.
      const limitMs = 2 * dayMs + 1;
      // Requests are kept longer, and refusals are not.
      const retention = { serverDays: 1, shortestDays: 1, longestDays: 3, mostBytes: 1e9 };
      const prune = () => log.journal.prune(retention, limitMs + dayMs);
      while ((await prune()) > 0);
      const [old, kept] = [times(5_010, () => newId()), newId()];
      await log.journal.append(old.map((license) => refused({ license, atMs: 2 * dayMs - 1 })));
      await log.journal.append([refused({ license: kept, atMs: 2 * dayMs })]);
      expect([await prune(), await prune(), await prune()]).toEqual([5_000, 10, 0]);
      expect(await stored(kept)).toHaveLength(1);
    });

    test("deleting an organization deletes its refusals in steps, and no others", async () => {
      const [organization, other] = [newId(), newId()];
      const licenses = times(refusalsAtOnce + 10, () => newId());
      const spared = newId();
      const statuses = ["revoked", "expired"].map((status) =>
        refused({ license: newId(), organization, status }),
      );
      await log.journal.append([
        ...licenses.map((license) => refused({ license, organization })),
        ...statuses,
      ]);
      await log.journal.append([refused({ license: spared, organization: other })]);
      const steps = await deleteFromLog(log.journal, organization, "refusals");
      const left = await storedRows(log.store.reads, "license_refusals", { organization_id: organization });
      expect(left).toEqual([]);
      expect(steps).toBeGreaterThan(2);
      expect(await stored(spared)).toHaveLength(1);
    });

    test("the query adds up the days of each license and status, with the latest refusal's details", async () => {
      const [license, other] = [newId(), newId()].sort() as [string, string];
      const at = (days: number, status: string, details: Partial<Details> = {}) =>
        refused({ license, atMs: midnight + days * dayMs, status, ...details });
      await log.journal.append([
        at(0, "ip_limit_reached", { ip: "192.0.2.3" }),
        at(1, "revoked"),
        at(2, "ip_limit_reached"),
        at(2, "ip_limit_reached", { ip: "192.0.2.4", version: null }),
        at(0, "expired", { license: other }),
        at(3, "expired", { license: newId() }),
      ]);
      const usual = { last_ip: "192.0.2.1", last_version: "1.0", count: 1 };
      const [first_at, nextDay] = [midnight, midnight + dayMs];
      const limit = { count: 3, last_ip: "192.0.2.4", last_version: null };
      expect(await since(midnight, other, license, newId())).toEqual([
        {
          license_id: license,
          status: "ip_limit_reached",
          first_at,
          last_at: midnight + 2 * dayMs,
          ...limit,
        },
        { license_id: license, status: "revoked", first_at: nextDay, last_at: nextDay, ...usual },
        { license_id: other, status: "expired", first_at, last_at: midnight, ...usual },
      ]);
    });

    test("the query shows nothing of a previous owner", async () => {
      const license = newId();
      const takenOver = midnight + 1_000;
      const at = (atMs: number, status: string, ip: string) => refused({ license, atMs, status, ip });
      await log.journal.append([
        at(midnight - 1, "revoked", "192.0.2.1"),
        // A count that includes a refusal of the previous owner is left out for that day.
        at(takenOver - 1, "revoked", "192.0.2.2"),
        at(takenOver + 1, "revoked", "192.0.2.3"),
        // One that does not is shown.
        at(takenOver, "expired", "192.0.2.4"),
        at(midnight + dayMs, "revoked", "192.0.2.5"),
      ]);
      expect(await since(takenOver, license)).toMatchObject([
        { status: "revoked", count: 1, first_at: midnight + dayMs, last_ip: "192.0.2.5" },
        { status: "expired", count: 1, first_at: takenOver, last_ip: "192.0.2.4" },
      ]);
    });

    test("each license of a query has its own start, and is counted once even if it is listed twice", async () => {
      const [early, late] = [newId(), newId()].sort() as [string, string];
      await log.journal.append([early, late].map((license) => refused({ license, atMs: midnight + 5 })));
      const found = await licenseRefusals(log.store.reads, [
        { licenseId: early, sinceMs: midnight + 5 },
        { licenseId: late, sinceMs: midnight + 6 },
      ]);
      expect(found.map(({ license_id }) => license_id)).toEqual([early]);
      expect(await since(midnight, late, late)).toMatchObject([{ count: 1 }]);
    });
  });
}

interface Details {
  readonly atMs: number;
  readonly organization: string;
  readonly license: string | null;
  readonly endpoint: "validate" | "lookup";
  readonly status: string;
  readonly ip: string;
  readonly version: string | null;
}

function refused(refusal: Partial<Details>): JournalEntry {
  const { atMs = midnight, organization = "o", license = null, ...details } = refusal;
  const usual = { status: "ip_limit_reached", ip: "192.0.2.1", version: "1.0" };
  return journalEntry({ at: atMs, organization_id: organization, license_id: license, ...usual, ...details });
}
