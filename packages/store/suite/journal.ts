import { describe, expect, test } from "bun:test";
import { journalEntry, requestLog } from "../../../tests/support/request-log.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { type JournalEntry, loggedMembers } from "../journal.ts";
import { openJournal } from "../open.ts";
import { logColumns } from "../request-log/tables.ts";
import type { Journal, Store } from "../store.ts";
import { times } from "./calls.ts";
import { type StoreFixture, sharedLog } from "./fixture.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const oddities = /[\0\x1e\x1f\uFFFD\uD800]/g;

export function journal(fixture: StoreFixture) {
  describe("the journal", () => {
    const log = sharedLog(fixture);

    test("stores every entry as a row of the request log", async () => {
      const organization = newId();
      const full = journalEntry({
        ...{ organization_id: organization, license_id: "l", version: "1.2", device_id: "d", problem: "p" },
        ...{ duration_us: 123_456, count: 7, sandbox: 1, facts: '{"ip_count":3}' },
      });
      const sparse = entry({ organization, license: null, version: null, device: null, problem: null });
      await log.journal.append([full, sparse]);
      const rows = await requestLog(log.store, { organization_id: organization });
      const kept = new Map(rows.map((row) => [row.id, logColumns.map((name) => row[name])]));
      expect(kept).toEqual(
        new Map([full, sparse].map((entry) => [entry[1], entry.slice(0, loggedMembers) as never])),
      );
    });

    test("a license's new IP addresses are recorded up to an hourly limit, and known ones always", async () => {
      const [organization, license] = [newId(), newId()];
      const hour = 3_600_000;
      const seen = (at: number, atMs: number) =>
        entry({ organization, license, ip: `${license} ${at}`, atMs, tracked: true });
      await log.journal.append(times(250, (at) => seen(at, 1_000)));
      await log.journal.append(times(250, (at) => seen(at, 2_000)));
      const count = async () => {
        const query = log.store.reads.selectFrom("ip_sightings").select(["tier", "hits"]);
        const rows = await query.where("ip", "like", `${license}%`).execute();
        return [rows.length, rows.filter(({ tier, hits }) => tier === "license" && hits === 2).length];
      };
      expect(await count()).toEqual([300, 100]);
      await log.journal.append([seen(1_000, hour + 1)]);
      expect(await count()).toEqual([303, 100]);
    });

    test("sightings of all three tiers have first and last time, hits, and the number of licenses", async () => {
      const [ip, o1, o2, l1, l2, l3] = [newId(), newId(), newId(), newId(), newId(), newId()];
      const seen = (organization: string, license: string, atMs: number) =>
        entry({ organization, license, ip, atMs, tracked: true });
      await log.journal.append([seen(o1, l1, 2_000), seen(o1, l1, 1_500), seen(o1, l2, 3_000)]);
      await log.journal.append([seen(o1, l1, 5_000), seen(o2, l3, 4_000), seen(o2, l3, 4_500)]);
      expect(await sightings(log.store, ip)).toEqual(
        sorted([
          ["license", l1, 1_500, 5_000, 3, 1],
          ["license", l2, 3_000, 3_000, 1, 1],
          ["license", l3, 4_000, 4_500, 2, 1],
          ["organization", o1, 1_500, 5_000, 4, 2],
          ["organization", o2, 4_000, 4_500, 2, 1],
          ["platform", "", 1_500, 5_000, 6, 3],
        ]),
      );
    });

    test("a late entry moves the first time back and leaves the last time unchanged", async () => {
      const [organization, license, ip] = [newId(), newId(), newId()];
      for (const atMs of [5_000, 2_000])
        await log.journal.append([entry({ organization, license, ip, atMs, tracked: true })]);
      expect(await sightings(log.store, ip)).toEqual(
        sorted([
          ["license", license, 2_000, 5_000, 2, 1],
          ["organization", organization, 2_000, 5_000, 2, 1],
          ["platform", "", 2_000, 5_000, 2, 1],
        ]),
      );
    });

    test("an entry without tracking or without a license is logged without a sighting", async () => {
      const ip = newId();
      await log.journal.append([
        entry({ ip, license: newId(), tracked: false }),
        entry({ ip, license: null, tracked: true }),
      ]);
      expect(await sightings(log.store, ip)).toEqual([]);
    });

    test("two journals that write the same IP addresses concurrently lose nothing", async () => {
      const second = await openJournal(fixture.location);
      const [organization, ip] = [newId(), newId()];
      const licenses = times(20, () => newId());
      const write = async (one: Journal, order: readonly string[]) => {
        const entries = () =>
          order.map((license) => entry({ organization, license, ip, atMs: 7, tracked: true }));
        for (let round = 0; round < 5; round++) await one.append(entries());
      };
      await Promise.all([write(log.journal, licenses), write(second, licenses.toReversed())]);
      await second.close();
      const seen = await sightings(log.store, ip);
      expect(seen.filter(([tier]) => tier === "platform")).toEqual([["platform", "", 7, 7, 200, 20]]);
    });

    const texts = ["a\0b", "\0", "\uD800", "'; drop table request_log; --", "\u{1F511}".repeat(64)];
    texts.push('{1,2,"3\\', "a\x1fb\x1ec", "\x1e");
    test.each(texts)("a device ID of %j does no harm", async (device) => {
      const organization = newId();
      const others = times(2, () => entry({ organization }));
      await log.journal.append([
        ...others,
        entry({ organization, device, version: device, problem: device }),
      ]);
      const rows = await requestLog(log.store, { organization_id: organization });
      expect(rows).toHaveLength(3);
      const kept = rows.map((row) => row.device_id).find((text) => text !== null) ?? "";
      // Not every database stores NUL, separators and a lone surrogate as text. Everything else is stored
      // unchanged.
      const plain = (text: string) => text.replace(oddities, "?");
      expect(plain(kept)).toBe(plain(device));
    });

    test("an empty version is stored as empty, even as the only value", async () => {
      const organization = newId();
      await log.journal.append([entry({ organization, version: "" })]);
      const rows = await requestLog(log.store, { organization_id: organization });
      expect(rows.map((row) => row.version)).toEqual([""]);
    });

    test("entries that are retried after an unknown outcome are neither logged nor counted twice", async () => {
      const organization = newId();
      const ip = newId();
      const seen = () => entry({ organization, license: newId(), ip, tracked: true });
      const first = times(3, seen);
      await log.journal.append(first);
      await log.journal.append([...first, ...times(2, seen)]);
      await log.journal.append(first);
      const rows = await requestLog(log.store, { organization_id: organization });
      expect(rows).toHaveLength(5);
      const seenRows = await storedRows(log.store.reads, "ip_sightings", { scope_id: organization });
      expect(seenRows).toMatchObject([{ hits: 5, license_count: 5 }]);
    });
  });
}

interface Details {
  readonly atMs: number;
  readonly organization: string;
  readonly license: string | null;
  readonly ip: string;
  readonly version: string | null;
  readonly device: string | null;
  readonly problem: string | null;
  readonly tracked: boolean;
}

/** Each with its own ID. */
function entry(values: Partial<Details>): JournalEntry {
  const { atMs = 1_000, organization = "o", license, device, ...details } = values;
  const ids = { organization_id: organization, license_id: license ?? null, device_id: device ?? null };
  return journalEntry({ at: atMs, ...ids, ...details });
}

type SightingLine = [
  tier: string,
  scope: string,
  first: number,
  last: number,
  hits: number,
  licenses: number,
];

async function sightings(store: Store, ip: string): Promise<SightingLine[]> {
  const rows = await storedRows(store.reads, "ip_sightings", { ip });
  return sorted(
    rows.map(({ tier, scope_id, first_seen_at, last_seen_at, hits, license_count }) => {
      return [tier, scope_id, first_seen_at, last_seen_at, hits, license_count];
    }),
  );
}

function sorted(lines: SightingLine[]): SightingLine[] {
  return lines.toSorted((a, b) => (`${a[0]} ${a[1]}` < `${b[0]} ${b[1]}` ? -1 : 1));
}
