import type { AnnouncementRow } from "@countersign/store/tables/platform";
import { iso } from "../../api/page.ts";

export function showAnnouncement(row: AnnouncementRow) {
  return { id: row.id, ...recordedAnnouncement(row) };
}

/** As platform admins see it. */
export function showPlatformAnnouncement(row: AnnouncementRow) {
  return {
    ...showAnnouncement(row),
    created_by: row.created_by,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** What an admin sets, as in the audit log. */
export function recordedAnnouncement({ level, message, url, starts_at, ends_at }: AnnouncementRow) {
  return { level, message, url, starts_at: iso(starts_at), ends_at: iso(ends_at) };
}
