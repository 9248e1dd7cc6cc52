import { beforeEach, expect, test } from "bun:test";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import type { AnnouncementRow } from "../../tables/platform.ts";
import * as announcements from "./announcements.ts";

const nowMs = Date.UTC(2030, 5, 1);

onBothDatabases("announcements", (fixture) => {
  const { read, write } = fixture.queries(announcements);
  // They belong to the whole installation.
  beforeEach(() => fixture.write((db) => db.deleteFrom("announcements").execute()));

  const add = async (...rows: Partial<AnnouncementRow>[]): Promise<string[]> => {
    const added = rows.map((settings) => announcementRow(settings));
    for (const row of added) await write.addAnnouncement(row);
    return idsOf(added);
  };
  const current = async () => idsOf(await read.currentAnnouncements(nowMs));
  const locked = (id: string) => write.lockedAnnouncement(id);

  test.each<[what: string, is: "shown" | "not shown", times: Partial<AnnouncementRow>]>([
    ["that starts now and has no end", "shown", {}],
    ["that ends later", "shown", { ends_at: nowMs + 1 }],
    ["that ends now", "not shown", { starts_at: nowMs - 5, ends_at: nowMs }],
    ["that starts later", "not shown", { starts_at: nowMs + 1 }],
  ])("an announcement %s is %s", async (_what, is, settings) => {
    const added = await add(settings);
    expect(await current()).toEqual(is === "shown" ? added : []);
  });

  test("announcements that are shown are sorted by their start, and all are listed newest first, by page", async () => {
    const [early, late, latest] = (await add({ starts_at: nowMs - 9 }, {}, {})) as [string, string, string];
    expect(await current()).toEqual([latest, late, early]);
    const [ended] = (await add({ ends_at: 1 })) as [string];
    const page = async (beforeId: string | null, limit: number) =>
      idsOf(await read.allAnnouncements({ beforeId, limit }));
    expect(await page(null, 10)).toEqual([ended, latest, late, early]);
    expect(await page(latest, 1)).toEqual([late]);
  });

  test("one announcement is changed and removed without the others", async () => {
    const [id, other] = (await add({}, {})) as [string, string];
    await write.updateAnnouncement(id, { message: "Changed" });
    expect([(await locked(id))?.message, (await locked(other))?.message]).toEqual(["Changed", "Maintenance"]);
    const remove = () => write.removeAnnouncement(id);
    expect(await remove()).toMatchObject({ id, message: "Changed" });
    expect(await remove()).toBeUndefined();
    expect(await locked(id)).toBeUndefined();
    expect(await current()).toEqual([other]);
  });

  test("transactions that count announcements before adding one exceed no limit, even at the same time", async () => {
    const addUpToThree = () =>
      fixture.write(async (db) => {
        if ((await announcements.countAnnouncements(db)) < 3)
          await announcements.addAnnouncement(db, announcementRow({}));
      });
    await Promise.all(times(8, addUpToThree));
    expect(await current()).toHaveLength(3);
  });
});

function announcementRow(settings: Partial<AnnouncementRow>): AnnouncementRow {
  return {
    ...{ id: newId(), level: "info", message: "Maintenance", url: null, starts_at: nowMs, ends_at: null },
    ...{ created_by: null, created_at: nowMs, updated_at: nowMs, ...settings },
  };
}
