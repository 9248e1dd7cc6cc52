import * as contract from "@countersign/contract/manage/announcements";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { newId } from "@countersign/store/new-id";
import * as announcements from "@countersign/store/queries/announcements/announcements";
import type { AnnouncementRow } from "@countersign/store/tables/platform";
import { type BoundRoute, bind, checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { decodeCursor, milliseconds, pageOf } from "../../api/page.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { asPlatform, audit, difference } from "../audit-log/record.ts";

/** Every dashboard shows all current ones. */
const maxAnnouncements = 20;

export const announcementRoutes: readonly BoundRoute[] = [
  bind(contract.listAnnouncements, async ({ store, nowMs }) => {
    const rows = await announcements.currentAnnouncements(store.reads, nowMs);
    return { data: rows.map(showAnnouncement), next_cursor: null };
  }),

  bind(contract.listPlatformAnnouncements, async ({ store }, { query }) => {
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await announcements.allAnnouncements(store.reads, {
      beforeId: after === null ? null : String(after[0]),
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => [row.id], showPlatformAnnouncement);
  }),

  bind(contract.createAnnouncement, async (context, { body }) => {
    const { nowMs } = context;
    const row: AnnouncementRow = {
      id: newId(),
      level: body.level,
      message: body.message,
      url: body.url ?? null,
      starts_at: body.starts_at === undefined ? nowMs : milliseconds(body.starts_at),
      ends_at: body.ends_at == null ? null : milliseconds(body.ends_at),
      created_by: context.actor.name,
      created_at: nowMs,
      updated_at: nowMs,
    };
    checkEnd(row);
    return context.transaction(async (db) => {
      if ((await announcements.countAnnouncements(db)) >= maxAnnouncements)
        throw new Problem("announcement_limit_reached", { limit: maxAnnouncements });
      await announcements.addAnnouncement(db, row);
      await audit(db, asPlatform(context), {
        action: "announcement.created",
        subject: subjectOf(row),
        after: recordedAnnouncement(row),
      });
      return showPlatformAnnouncement(row);
    });
  }),

  bind(contract.updateAnnouncement, async (context, input) => {
    const { level, message, url, starts_at: startsAt, ends_at: endsAt } = input.body;
    return context.transaction(async (db) => {
      const before = await announcements.lockedAnnouncement(db, input.params.announcement_id);
      if (before === undefined) throw new Problem("announcement_not_found");
      checkUnchanged(context, before.updated_at, undefined);
      const after: AnnouncementRow = {
        ...before,
        level: level ?? before.level,
        message: message ?? before.message,
        url: url === undefined ? before.url : url,
        starts_at: startsAt === undefined ? before.starts_at : milliseconds(startsAt),
        ends_at: endsAt === undefined ? before.ends_at : endsAt === null ? null : milliseconds(endsAt),
      };
      checkEnd(after);
      const changed = difference(recordedAnnouncement(before), recordedAnnouncement(after));
      if (Object.keys(changed.after).length === 0) return showPlatformAnnouncement(before);
      const row = { ...after, updated_at: nextUpdatedAt(context, before.updated_at) };
      await announcements.updateAnnouncement(db, row.id, row);
      await audit(db, asPlatform(context), {
        action: "announcement.updated",
        subject: subjectOf(row),
        ...changed,
      });
      return showPlatformAnnouncement(row);
    });
  }),

  bind(contract.deleteAnnouncement, async (context, input) =>
    context.transaction(async (db) => {
      const row = await announcements.removeAnnouncement(db, input.params.announcement_id);
      if (row === undefined) throw new Problem("announcement_not_found");
      await audit(db, asPlatform(context), {
        action: "announcement.deleted",
        subject: subjectOf(row),
        before: recordedAnnouncement(row),
      });
    }),
  ),
];

function checkEnd({ starts_at: startsAt, ends_at: endsAt }: AnnouncementRow): void {
  if (endsAt !== null && endsAt <= startsAt) throw invalid("ends_at", "ends_before_start");
}

function subjectOf({ id, message }: AnnouncementRow) {
  const characters = [...message];
  const name = characters.length > 60 ? `${characters.slice(0, 59).join("")}…` : message;
  return { kind: "announcement", id, name };
}

function showAnnouncement(row: AnnouncementRow) {
  return { id: row.id, ...recordedAnnouncement(row) };
}

/** As platform admins see it. */
function showPlatformAnnouncement(row: AnnouncementRow) {
  return {
    ...showAnnouncement(row),
    created_by: row.created_by,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** What an admin sets, as in the audit log. */
function recordedAnnouncement({ level, message, url, starts_at, ends_at }: AnnouncementRow) {
  return { level, message, url, starts_at: isoTime(starts_at), ends_at: isoTime(ends_at) };
}
