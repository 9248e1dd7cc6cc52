import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import pg from "pg";
import { postgres } from "../../../tests/support/databases.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { watched } from "../../../tests/support/watched-queries.ts";
import { openJournal, openStore } from "../databases/open.ts";
import { everyRequest, type RequestFilter } from "../queries/requests/filter.ts";
import { searchRequests } from "../queries/requests/search.ts";
import type { Store } from "../store.ts";
import { times } from "../suite/calls.ts";

/** A day can have millions of rows: no search reads all of them, with statistics or without. */
describe("searches of the request log on PostgreSQL", () => {
  const startMs = Date.UTC(2030, 0, 2, 12);
  let store: Store;
  let client: pg.Client;

  beforeAll(async () => {
    const { location } = await postgres.make();
    store = await openStore(location, { encryptionKey: null, durability: "standard" });
    client = new pg.Client({ connectionString: location.kind === "postgres" ? location.url : "" });
    await client.connect();
    const journal = await openJournal(location);
    for (let hour = 0; hour < 24; hour++) {
      const atMs = startMs + hour * hourMs;
      const entry = (index: number) => {
        const ids = { organization_id: `o${index % 7}`, license_id: `l${index % 90}` };
        return journalEntry({ at: atMs + index * 1_000, ip: `192.0.2.${index % 90}`, ...ids });
      };
      await journal.append(times(500, entry));
      // The last hour has no keys yet.
      while (hour < 23 && (await journal.closeSegment(atMs + hourMs)) > 0);
    }
    await journal.close();
  }, 60_000);
  afterAll(async () => {
    await client?.end();
    await store?.close();
  });

  const range = { fromMs: startMs, untilMs: startMs + dayMs };
  const filters: [string, Partial<RequestFilter>, typeof range][] = [
    ["for the newest requests", {}, range],
    ["by time", {}, { fromMs: startMs + dayMs / 4, untilMs: startMs + dayMs / 3 }],
    ["by license", { licenseId: "l8" }, range],
    ["by IP address", { ips: ["192.0.2.1", "192.0.2.8"] }, range],
    ["by request ID", { requestId: firstUuidAt(startMs + dayMs / 2) }, range],
    ["by outcome", { outcomes: ["revoked"] }, range],
    ["by version", { version: "9" }, range],
    ["by device ID", { deviceId: "d" }, range],
    ["by product", { productId: "none" }, range],
  ];
  for (const statistics of ["without statistics", "with statistics"] as const) {
    describe(statistics, () => {
      beforeAll(async () => {
        if (statistics === "with statistics") await client.query("analyze");
      });

      test.each(filters)("searches %s do not read a whole day", async (_, filter, within) => {
        const { store: watchedStore, plans } = watched(store);
        const filtered = { ...everyRequest("o1"), ...filter };
        const search = { filter: filtered, range: within, after: null, limit: 50 };
        await searchRequests(watchedStore.listReads, search);
        const ofDays = (await plans()).filter(({ plan }) => /request_(log|keys)_\d/.test(plan));
        expect(ofDays.length).toBeGreaterThan(0);
        for (const { plan } of ofDays) expect(plan).not.toContain("Seq Scan");
      });
    });
  }
});
