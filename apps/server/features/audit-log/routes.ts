import * as contract from "@countersign/contract/manage/audit-log";
import { auditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { type AuditFilter, auditEntries } from "@countersign/store/queries/audit-log/entries";
import { keptEntries } from "@countersign/store/queries/audit-log/retention";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import { type BoundRoute, bind, type Context, type OrganizationContext } from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { decodeCursor, encodeCursor, milliseconds, pageOf } from "../../api/page.ts";
import { exportedLog, type ShownEntry, showToOrganization, showToPlatform } from "./show.ts";

export const auditLogRoutes: readonly BoundRoute[] = [
  bind(contract.listAuditLog, async (context, { query }) => ({
    ...(await list(context, filterOf(query, context.organization.id), query, showToOrganization)),
    ...(await kept(context)),
  })),

  bind(contract.exportAuditLog, async (context, { query }) =>
    download(context, {
      name: `audit-log.${query.format}`,
      contentType: query.format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8",
      parts: exportedLog(context.store.listReads, filterOf(query, context.organization.id), query.format),
    }),
  ),

  bind(contract.listPlatformAuditLog, async (context, { query }) =>
    list(context, filterOf(query, query.organization_id ?? null), query, showToPlatform),
  ),
];

/** How long the entries of the organization are kept, and what happens then. */
async function kept(context: OrganizationContext) {
  const row = await keptEntries(context.store.reads, context.organization.id);
  const days =
    row === undefined ? null : auditLogDays({ ofOrganization: row.of_organization, ofPlan: row.of_plan });
  const { auditLogArchive: archive } = context.config;
  const isDeleted = days !== null && archive !== null;
  return {
    kept_days: isDeleted ? days : null,
    older_entries: isDeleted ? (archive === "none" ? ("deleted" as const) : ("archived" as const)) : null,
    complete_since: isoTime(row?.deleted_before ?? null),
  };
}

async function list(
  context: Context,
  filter: AuditFilter,
  query: { limit: number; cursor?: string | undefined },
  show: (row: AuditLogRow) => ShownEntry,
) {
  const after = decodeCursor(query.cursor, ["number", "text"]);
  const { rows, searchedTo } = await auditEntries(context.store.listReads, filter, {
    after: after === null ? null : { at: Number(after[0]), id: String(after[1]) },
    limit: query.limit + 1,
  });
  const page = pageOf(rows, query.limit, (row) => [row.at, row.id], show);
  return searchedTo === null ? page : { ...page, next_cursor: encodeCursor([searchedTo.at, searchedTo.id]) };
}

interface FilterQuery {
  readonly actor_id?: string | undefined;
  readonly action?: string | undefined;
  readonly subject_kind?: string | undefined;
  readonly subject_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function filterOf(query: FilterQuery, organizationId: string | null): AuditFilter {
  return {
    organizationId,
    actorId: query.actor_id ?? null,
    action: query.action ?? null,
    subjectKind: query.subject_kind ?? null,
    subjectId: query.subject_id ?? null,
    fromMs: query.from === undefined ? null : milliseconds(query.from),
    toMs: query.to === undefined ? null : milliseconds(query.to),
  };
}
