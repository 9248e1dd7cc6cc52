import * as contract from "@countersign/contract/manage/audit-log";
import { type AuditFilter, auditEntries } from "@countersign/store/queries/audit-log/entries";
import type { AuditLogRow } from "@countersign/store/tables";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { Context } from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { decodeCursor, encodeCursor, milliseconds, pageOf } from "../../api/page.ts";
import { exportedLog } from "./export.ts";
import { type ShownEntry, showToOrganization, showToPlatform } from "./show.ts";

export const auditLogRoutes: readonly BoundRoute[] = [
  bind(contract.listAuditLog, async (context, { query }) =>
    list(context, filterOf(query, context.organization.id), query, showToOrganization),
  ),

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
