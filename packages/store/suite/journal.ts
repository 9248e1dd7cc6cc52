import { describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { deleteFromLog } from "../../../tests/support/journal.ts";
import { journalEntry, requestLog } from "../../../tests/support/request-log.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { refusalsAtOnce } from "../journal.ts";
import { licenseRefusals } from "../queries/requests/license-refusals.ts";
import { logColumns } from "../request-log/tables.ts";
import type { Journal } from "../store.ts";
import { times } from "./calls.ts";
import { type StoreFixture, separateLog } from "./fixture.ts";

const day = 20_000;
const midnight = day * dayMs;
const sightingTimes = ["first_seen_at", "last_seen_at"] as const;
const sightingColumns = ["tier", "scope_id", ...sightingTimes, "hits", "license_count"] as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const oddities = /[\0\x1e\x1f\uFFFD\uD800]/g;

/** Of a refused validation that counts as a sighting. Each has its own ID. */
function entry(values: Parameters<typeof journalEntry>[0]) {
  return journalEntry({ at: midnight, status: "ip_limit_reached", version: "1.0", tracked: true, ...values });
}

export function journal(fixture: StoreFixture) {
  describe("the journal", () => {
    const log = separateLog(fixture);
    const append = (...entries: Parameters<typeof entry>[0][]) => log.journal.append(entries.map(entry));
    const sightings = async (ip: string) => {
      const rows = await storedRows(log.store.reads, "ip_sightings", { ip });
      return rows.map((row) => sightingColumns.map((name) => row[name])).sort();
    };
    const refusals = async (license_id: string) => {
      const rows = await storedRows(log.store.reads, "license_refusals", { license_id });
      return rows.sort((a, b) => a.day - b.day || (a.status < b.status ? -1 : 1));
    };

    test("every journal entry is stored as a row of the request log", async () => {
      const organization_id = newId();
      const given = { license_id: "l", version: "1", device_id: "d", problem: "p", facts: "{}" };
      const numbers = { duration_us: 123_456, count: 7, sandbox: 1 } as const;
      const full = journalEntry({ organization_id, ...given, ...numbers });
      const sparse = journalEntry({ organization_id });
      await log.journal.append([full, sparse]);
      const rows = await requestLog(log.store, { organization_id });
      const kept = new Map(rows.map((row) => [row.id, logColumns.map((name) => row[name])]));
      const expected = [full, sparse].map(
        (entry) => [entry.id, logColumns.map((name) => entry[name])] as const,
      );
      expect<Map<string, unknown>>(kept).toEqual(new Map(expected));
    });

    test("sightings of all three tiers have first and last time, hits, and the number of licenses", async () => {
      const [ip, o1, o2] = [newId(), newId(), newId()];
      const [l1, l2, l3] = [newId(), newId(), newId()];
      const seen = (organization_id: string, license_id: string, at: number) => {
        return { organization_id, license_id, ip, at };
      };
      await append(seen(o1, l1, 2_000), seen(o1, l1, 1_500), seen(o1, l2, 3_000));
      await append(seen(o1, l1, 5_000), seen(o2, l3, 4_000), seen(o2, l3, 4_500));
      expect(await sightings(ip)).toEqual(
        [
          ["license", l1, 1_500, 5_000, 3, 1],
          ["license", l2, 3_000, 3_000, 1, 1],
          ["license", l3, 4_000, 4_500, 2, 1],
          ["organization", o1, 1_500, 5_000, 4, 2],
          ["organization", o2, 4_000, 4_500, 2, 1],
          ["platform", "", 1_500, 5_000, 6, 3],
        ].sort(),
      );
    });

    test("refusals are counted per license, UTC day and status", async () => {
      const [license_id, other, organization_id] = [newId(), newId(), newId()];
      const refused = (at: number, status: string, details: object = {}) => {
        return { license_id, organization_id, at, status, ...details };
      };
      await append(
        refused(midnight - 1, "revoked"),
        refused(midnight, "revoked", { ip: "192.0.2.7", version: "2" }),
        refused(midnight + 5, "expired"),
        refused(midnight + 9, "revoked", { ip: "192.0.2.9", version: null }),
        refused(midnight + 8, "revoked"),
        refused(midnight + 9, "revoked", { license_id: other }),
      );
      await append(refused(midnight + 20, "revoked", { ip: "192.0.2.20", version: "3" }));
      const common = { license_id, organization_id, day, count: 1 };
      const usual = { last_ip: "192.0.2.1", last_version: "1.0" };
      const at = (ms: number) => ({ first_at: midnight + ms, last_at: midnight + ms });
      const last = { last_at: midnight + 20, last_ip: "192.0.2.20", last_version: "3" };
      expect(await refusals(license_id)).toEqual([
        { ...common, day: day - 1, status: "revoked", ...at(-1), ...usual },
        { ...common, status: "expired", ...at(5), ...usual },
        { ...common, status: "revoked", count: 4, first_at: midnight, ...last },
      ]);
      expect(await refusals(other)).toMatchObject([{ day, status: "revoked", count: 1 }]);
    });

    test("a license's new IP addresses are recorded up to an hourly limit, known ones always, and refusals in one row", async () => {
      const license_id = newId();
      const seen = (number: number, at: number) => ({ license_id, ip: `${license_id} ${number}`, at });
      await append(...times(250, (number) => seen(number, midnight + 1_000)));
      await append(...times(250, (number) => seen(number, midnight + 2_000)));
      const count = async () => {
        const query = log.store.reads.selectFrom("ip_sightings").select(["tier", "hits"]);
        const rows = await query.where("ip", "like", `${license_id}%`).execute();
        return [rows.length, rows.filter(({ tier, hits }) => tier === "license" && hits === 2).length];
      };
      expect(await count()).toEqual([300, 100]);
      await append(seen(1_000, midnight + hourMs + 1));
      expect(await count()).toEqual([303, 100]);
      expect(await refusals(license_id)).toMatchObject([{ count: 501 }]);
    });

    test("a late entry moves the first time back and leaves the last time and its details unchanged", async () => {
      const [organization_id, license_id, ip] = [newId(), newId(), newId()];
      const own = { organization_id, license_id, ip };
      await append({ ...own, at: midnight + 50, version: null }, { ...own, at: midnight + 40 });
      await append({ ...own, at: midnight + 20 });
      const span = [midnight + 20, midnight + 50, 3, 1];
      const scopes = [
        ["license", license_id],
        ["organization", organization_id],
        ["platform", ""],
      ];
      expect(await sightings(ip)).toEqual(scopes.map((scope) => [...scope, ...span]));
      const refused = { first_at: midnight + 20, last_at: midnight + 50, count: 3, last_version: null };
      expect(await refusals(license_id)).toMatchObject([refused]);
    });

    test("only tracked requests with a license are sightings, and only refused validations with one are counted", async () => {
      const [organization_id, license_id, ip] = [newId(), newId(), newId()];
      await append({ organization_id, license_id: null, ip, status: "license_not_found" });
      await append({ organization_id, license_id, ip, status: "active", tracked: false });
      await append({ organization_id, license_id, ip, endpoint: "lookup", tracked: false });
      expect(await sightings(ip)).toEqual([]);
      expect(await storedRows(log.store.reads, "license_refusals", { organization_id })).toEqual([]);
    });

    test("two journals that write of the same licenses and IP addresses concurrently lose nothing", async () => {
      const [organization_id, ip] = [newId(), newId()];
      const licenses = times(20, () => newId());
      const write = async (one: Journal, order: readonly string[]) => {
        for (let round = 0; round < 5; round++)
          await one.append(order.map((license_id) => entry({ organization_id, license_id, ip })));
      };
      await Promise.all([write(log.journal, licenses), write(log.second, licenses.toReversed())]);
      expect((await sightings(ip)).at(-1)).toEqual(["platform", "", midnight, midnight, 200, 20]);
      for (const license of licenses) expect(await refusals(license)).toMatchObject([{ count: 10 }]);
    });

    const texts = ["a\0b", "\0", "\uD800", "'; drop table request_log; --", "\u{1F511}".repeat(64)];
    texts.push('{1,2,"3\\', "a\x1fb\x1ec", "\x1e");
    test.each(texts)("entries with a version, a device ID and a problem of %j are stored", async (odd) => {
      const [organization_id, license_id, other] = [newId(), newId(), newId()];
      const oddly = { organization_id, license_id, version: odd, device_id: odd, problem: odd };
      await append({ organization_id, license_id: other }, oddly);
      const rows = await requestLog(log.store, { organization_id });
      expect(rows).toHaveLength(2);
      const kept = rows.find((row) => row.license_id === license_id);
      const [refused] = await refusals(license_id);
      // Not every database stores NUL, separators and a lone surrogate as text. Everything else is stored
      // unchanged.
      const plain = (text: string | null | undefined) => text?.replace(oddities, "?");
      const stored = [kept?.version, kept?.device_id, kept?.problem, refused?.last_version];
      expect(stored.map(plain)).toEqual(stored.map(() => plain(odd)));
      expect(await refusals(other)).toMatchObject([{ count: 1, last_version: "1.0" }]);
    });

    test("an empty version is stored as empty, even as the only value", async () => {
      const [organization_id, license_id] = [newId(), newId()];
      await append({ organization_id, license_id, version: "" });
      expect(await requestLog(log.store, { organization_id })).toMatchObject([{ version: "" }]);
      expect(await refusals(license_id)).toMatchObject([{ last_version: "" }]);
    });

    test("entries that are retried after an unknown outcome are neither logged nor counted twice", async () => {
      const organization_id = newId();
      const license_id = newId();
      const some = (count: number) => times(count, () => entry({ organization_id, license_id }));
      const first = some(3);
      await log.journal.append(first);
      await log.journal.append([...first, ...some(2)]);
      await log.journal.append(first);
      expect(await requestLog(log.store, { organization_id })).toHaveLength(5);
      const seen = await storedRows(log.store.reads, "ip_sightings", { scope_id: organization_id });
      expect(seen).toMatchObject([{ hits: 5, license_count: 1 }]);
      expect(await refusals(license_id)).toMatchObject([{ count: 5 }]);
    });

    describe("counts of refused validations", () => {
      const since = (sinceMs: number, ...licenseIds: string[]) => {
        const licenses = licenseIds.map((licenseId) => ({ licenseId, sinceMs }));
        return licenseRefusals(log.store.reads, licenses);
      };

      test("counts of refusals are pruned when their day ended before the limit, a bounded number at a time", async () => {
        // Older than the rows of any other test.
        const limitMs = 2 * dayMs + 1;
        // Requests are kept longer, and refusals are not.
        const retention = { serverDays: 1, minDays: 1, maxDays: 3, maxBytes: 1e9 };
        const prune = () => log.journal.prune(retention, limitMs + dayMs);
        while ((await prune()) > 0);
        const kept = newId();
        await append(...times(5_010, () => ({ license_id: newId(), at: 2 * dayMs - 1, tracked: false })));
        await append({ license_id: kept, at: 2 * dayMs });
        expect([await prune(), await prune(), await prune()]).toEqual([5_000, 10, 0]);
        expect(await refusals(kept)).toHaveLength(1);
      });

      test("counts of refusals are deleted with their organization in steps, and no others", async () => {
        const [organization_id, spared] = [newId(), newId()];
        const refused = { organization_id, tracked: false };
        await append(...times(refusalsAtOnce + 10, () => ({ ...refused, license_id: newId() })));
        await append({ ...refused, license_id: newId(), status: "revoked" }, { license_id: spared });
        const steps = await deleteFromLog(log.journal, organization_id, "refusals");
        expect(await storedRows(log.store.reads, "license_refusals", { organization_id })).toEqual([]);
        expect(steps).toBeGreaterThan(2);
        expect(await refusals(spared)).toHaveLength(1);
      });

      test("counts of refusals are added up by license and status over the days, with the latest refusal's details", async () => {
        const [license_id, other] = [newId(), newId()].sort() as [string, string];
        const after = (days: number, status: string, details: object = {}) => {
          return { license_id, at: midnight + days * dayMs, status, ...details };
        };
        await append(
          after(0, "ip_limit_reached", { ip: "192.0.2.3" }),
          after(1, "revoked"),
          after(2, "ip_limit_reached"),
          after(2, "ip_limit_reached", { ip: "192.0.2.4", version: null }),
          after(0, "expired", { license_id: other }),
          after(3, "expired", { license_id: newId() }),
        );
        const usual = { last_ip: "192.0.2.1", last_version: "1.0", count: 1 };
        const [first_at, next, last_at] = [0, 1, 2].map((days) => midnight + days * dayMs);
        const latest = { count: 3, last_ip: "192.0.2.4", last_version: null };
        expect<object[]>(await since(midnight, other, license_id, newId())).toEqual([
          { license_id, status: "ip_limit_reached", first_at, last_at, ...latest },
          { license_id, status: "revoked", first_at: next, last_at: next, ...usual },
          { license_id: other, status: "expired", first_at, last_at: first_at, ...usual },
        ]);
      });

      test("counts of refusals are shown without those of a previous owner", async () => {
        const license_id = newId();
        const takenOver = midnight + 1_000;
        const at = (atMs: number, status: string, ip: string) => ({ license_id, at: atMs, status, ip });
        await append(
          at(midnight - 1, "revoked", "192.0.2.1"),
          // A count that includes a refusal of the previous owner is left out for that day.
          at(takenOver - 1, "revoked", "192.0.2.2"),
          at(takenOver + 1, "revoked", "192.0.2.3"),
          // One that does not is shown.
          at(takenOver, "expired", "192.0.2.4"),
          at(midnight + dayMs, "revoked", "192.0.2.5"),
        );
        expect(await since(takenOver, license_id)).toMatchObject([
          { status: "revoked", count: 1, first_at: midnight + dayMs, last_ip: "192.0.2.5" },
          { status: "expired", count: 1, first_at: takenOver, last_ip: "192.0.2.4" },
        ]);
      });

      test("counts of refusals are shown since each license's own start, once even if it is listed twice", async () => {
        const [early, late] = [newId(), newId()].sort() as [string, string];
        await append(...[early, late].map((license_id) => ({ license_id, at: midnight + 5 })));
        const found = await licenseRefusals(log.store.reads, [
          { licenseId: early, sinceMs: midnight + 5 },
          { licenseId: late, sinceMs: midnight + 6 },
        ]);
        expect(found.map(({ license_id }) => license_id)).toEqual([early]);
        expect(await since(midnight, late, late)).toMatchObject([{ count: 1 }]);
      });
    });
  });
}
