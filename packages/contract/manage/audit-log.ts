import { z } from "zod";
import { member, platformAdmin, route } from "./route.ts";
import { id, page, pageQuery, time } from "./shapes.ts";

const group = "Audit log";

export const auditEntry = z
  .object({
    id,
    at: time,
    organization_id: id.nullable(),
    actor: z.object({
      kind: z.enum(["person", "token", "platform_admin", "command_line", "system"]).meta({
        description: "platform_admin is the operator of this installation, not somebody of the organization.",
      }),
      id: id.nullable(),
      name: z.string().meta({ description: "As it was then." }),
      access_token_id: id.nullable().meta({ description: "The access token that was used, if one was." }),
    }),
    action: z.string().meta({ description: "What happened, such as license.revoked." }),
    subject: z.object({ kind: z.string(), id: z.string(), name: z.string().nullable() }),
    before: z
      .record(z.string(), z.json())
      .nullable()
      .meta({ description: "What changed, as it was; null for something new." }),
    after: z
      .record(z.string(), z.json())
      .nullable()
      .meta({ description: "What changed, as it is since; null for something that is gone." }),
    ip: z.string().nullable().meta({ description: "From where. Not told of the operator." }),
    request_id: z.string().nullable(),
  })
  .meta({ id: "AuditEntry" });

const filters = {
  actor_id: id.optional(),
  action: z.string().max(100).optional(),
  subject_kind: z.string().max(100).optional(),
  subject_id: z.string().max(200).optional(),
  from: time.optional().meta({ description: "This time or later." }),
  to: time.optional().meta({ description: "Before this time." }),
};

const format = z.enum(["csv", "jsonl"]).default("csv");
const append = "Nothing in the log can be changed or removed.";

export const listAuditLog = route({
  id: "listAuditLog",
  method: "GET",
  path: "/organizations/{organization_id}/audit-log",
  summary: "Read who did what in an organization",
  description: `The newest first. ${append}`,
  group,
  access: member("audit_log:view"),
  query: pageQuery.extend(filters),
  answer: page(auditEntry),
});

export const exportAuditLog = route({
  id: "exportAuditLog",
  method: "GET",
  path: "/organizations/{organization_id}/audit-log/export",
  summary: "Export an organization's audit log",
  description:
    "The newest first, streamed: as CSV, where an apostrophe precedes what a spreadsheet would run as a formula, or as JSON Lines.",
  group,
  access: member("audit_log:view"),
  query: z.object({ format, ...filters }),
  answerType: "text/csv",
  answer: z.string(),
});

export const listPlatformAuditLog = route({
  id: "listPlatformAuditLog",
  method: "GET",
  path: "/admin/audit-log",
  summary: "Read who did what anywhere on the platform",
  description: `The newest first. ${append}`,
  group: "Platform",
  access: platformAdmin,
  query: pageQuery.extend({ organization_id: id.optional(), ...filters }),
  answer: page(auditEntry),
});
