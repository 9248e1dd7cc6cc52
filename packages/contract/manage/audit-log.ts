import { z } from "zod";
import { member, platformAdmin, route } from "../api/route.ts";
import { id, inSteps, page, pageQuery, time } from "../api/shapes.ts";

const group = "Audit log";

export const auditEntry = z
  .object({
    id,
    at: time,
    organization_id: id.nullable(),
    actor: z.object({
      kind: z.enum(["person", "token", "customer", "platform_admin", "command_line", "system"]).meta({
        description:
          "`customer` is a customer in the portal, with their customer ID. `platform_admin` is an operator of the server, not a member of the organization.",
      }),
      id: id.nullable(),
      name: z.string().meta({ description: "The name at that time." }),
      access_token_id: id.nullable().meta({ description: "The access token that was used, if any." }),
    }),
    action: z.string().meta({ description: "The action, such as license.revoked." }),
    subject: z.object({ kind: z.string(), id: z.string(), name: z.string().nullable() }),
    before: z
      .record(z.string(), z.json())
      .nullable()
      .meta({ description: "The changed fields before. Null for something new." }),
    after: z
      .record(z.string(), z.json())
      .nullable()
      .meta({ description: "The changed fields after. Null for something that was deleted." }),
    ip: z
      .string()
      .nullable()
      .meta({ description: "The actor's IP address. Organizations do not see that of a platform admin." }),
    request_id: z.string().nullable(),
  })
  .meta({ id: "AuditEntry" });

const filters = {
  actor_id: id.optional(),
  action: z.string().max(100).optional(),
  subject_kind: z.string().max(100).optional(),
  subject_id: z.string().max(200).optional(),
  from: time.optional().meta({ description: "Only entries from this time on." }),
  to: time.optional().meta({ description: "Only entries before this time." }),
};

const format = z.enum(["csv", "jsonl"]).default("csv");
const append =
  "Entries cannot be changed, and are deleted only when they are older than the plan keeps them.";

export const listAuditLog = route({
  id: "listAuditLog",
  method: "GET",
  path: "/organizations/{organization_id}/audit-log",
  summary: "List an organization's audit log",
  description: `Newest first. ${append} ${inSteps}`,
  group,
  access: member("audit_log:view"),
  query: pageQuery.extend(filters),
  answer: page(auditEntry).extend({
    kept_days: z
      .int()
      .nullable()
      .meta({ description: "How many days entries are kept. Null if none is deleted." }),
    older_entries: z.enum(["archived", "deleted"]).nullable().meta({
      description:
        "What happens to older entries: the operator of the server archives them before they are deleted, or they are only deleted. Null if none is deleted.",
    }),
    complete_since: time
      .nullable()
      .meta({ description: "Entries before this time were deleted. Null if none was." }),
  }),
});

export const exportAuditLog = route({
  id: "exportAuditLog",
  method: "GET",
  path: "/organizations/{organization_id}/audit-log/export",
  summary: "Export an organization's audit log",
  description:
    "Streams the entries, newest first. In CSV, an apostrophe precedes text that a spreadsheet would run as a formula.",
  group,
  access: member("audit_log:view"),
  query: z.object({ format, ...filters }),
  answerType: "text/csv",
  answer: z.string(),
  problems: ["too_many_exports"],
});

export const listPlatformAuditLog = route({
  id: "listPlatformAuditLog",
  method: "GET",
  path: "/admin/audit-log",
  summary: "List the audit log of the whole platform",
  description: `Newest first. What members of an organization did is shown without keys, secrets and their own texts. ${append} ${inSteps}`,
  group: "Platform",
  access: platformAdmin,
  query: pageQuery.extend({ organization_id: id.optional(), ...filters }),
  answer: page(auditEntry),
});
