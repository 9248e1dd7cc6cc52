import { z } from "zod";
import { person, platformAdmin, route } from "../api/route.ts";
import { id, page, pageQuery, time, webUrl } from "../api/shapes.ts";

export const announcementLevels = ["info", "warning"] as const;

const announcement = z
  .object({
    id,
    level: z.enum(announcementLevels),
    message: z.string(),
    url: z.string().nullable(),
    starts_at: time,
    ends_at: time.nullable().meta({ description: "Null if it is shown until it is deleted." }),
  })
  .meta({ id: "Announcement" });

export const listAnnouncements = route({
  id: "listAnnouncements",
  method: "GET",
  path: "/announcements",
  summary: "List current announcements",
  description: "What the operator of this server has to say to everyone who uses the dashboard.",
  group: "Account",
  access: person("any"),
  answer: page(announcement),
});

const group = "Platform";
const access = platformAdmin;

const platformAnnouncement = announcement
  .extend({ created_by: z.string().nullable(), created_at: time, updated_at: time })
  .meta({ id: "PlatformAnnouncement" });

const settings = {
  level: z.enum(announcementLevels),
  message: z.string().trim().min(1).max(500),
  url: webUrl.nullable(),
  starts_at: time,
  ends_at: time.nullable(),
} as const;

export const listPlatformAnnouncements = route({
  id: "listPlatformAnnouncements",
  method: "GET",
  path: "/admin/announcements",
  summary: "List announcements, newest first",
  description: "Includes those that are over, or have not started.",
  group,
  access,
  query: pageQuery,
  answer: page(platformAnnouncement),
});

export const createAnnouncement = route({
  id: "createAnnouncement",
  method: "POST",
  path: "/admin/announcements",
  summary: "Show an announcement in all dashboards",
  description: "Starts now by default.",
  group,
  access,
  problems: ["announcement_limit_reached"],
  body: z.strictObject({
    level: settings.level.default("info"),
    message: settings.message,
    url: settings.url.optional(),
    starts_at: settings.starts_at.optional(),
    ends_at: settings.ends_at.optional(),
  }),
  answer: platformAnnouncement,
});

export const updateAnnouncement = route({
  id: "updateAnnouncement",
  method: "PATCH",
  path: "/admin/announcements/{announcement_id}",
  summary: "Update an announcement",
  group,
  access,
  problems: ["announcement_not_found"],
  body: z.strictObject(z.object(settings).partial().shape),
  answer: platformAnnouncement,
});

export const deleteAnnouncement = route({
  id: "deleteAnnouncement",
  method: "DELETE",
  path: "/admin/announcements/{announcement_id}",
  summary: "Delete an announcement",
  group,
  access,
  problems: ["announcement_not_found"],
});
