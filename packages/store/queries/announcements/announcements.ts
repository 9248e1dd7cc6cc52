import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { AnnouncementRow } from "../../tables/platform.ts";

/** Those that are shown now, the latest first. */
export const currentAnnouncements = prepared((db, nowMs: number) =>
  db
    .selectFrom("announcements")
    .selectAll()
    .where("starts_at", "<=", nowMs)
    .where((is) => is.or([is("ends_at", "is", null), is("ends_at", ">", nowMs)]))
    .orderBy("starts_at", "desc")
    .orderBy("id", "desc"),
).all;

/** All of them, newest first: IDs sort by time. */
export async function allAnnouncements(
  db: Database,
  page: { readonly beforeId: string | null; readonly limit: number },
): Promise<AnnouncementRow[]> {
  return db
    .selectFrom("announcements")
    .selectAll()
    .$if(page.beforeId !== null, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

/** Makes concurrent callers wait until this transaction ends, so that they count one after the other. */
export async function countAnnouncements(db: Database): Promise<number> {
  await db
    .insertInto("platform_state")
    .values({ name: "announcements", value: "" })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: "" }))
    .execute();
  const { count } = await db
    .selectFrom("announcements")
    .select((select) => select.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function addAnnouncement(db: Database, row: AnnouncementRow): Promise<void> {
  await db.insertInto("announcements").values(row).execute();
}

/** The current row, locked until the transaction ends. */
export async function lockedAnnouncement(db: Database, id: string): Promise<AnnouncementRow | undefined> {
  return db
    .updateTable("announcements")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

export async function updateAnnouncement(
  db: Database,
  id: string,
  changes: Partial<AnnouncementRow>,
): Promise<void> {
  await db.updateTable("announcements").set(changes).where("id", "=", id).execute();
}

export async function removeAnnouncement(db: Database, id: string): Promise<AnnouncementRow | undefined> {
  return db.deleteFrom("announcements").where("id", "=", id).returningAll().executeTakeFirst();
}
