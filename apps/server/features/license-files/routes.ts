import * as contract from "@countersign/contract/manage/license-files";
import type { Permission } from "@countersign/domain/members/permissions";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import {
  addImport,
  importById,
  importsOf,
  importsOfOrganization,
  requestCancel,
  requestUndo,
  updateImport,
} from "@countersign/store/queries/license-files/imports";
import { rejectedHeader, rejectsOf } from "@countersign/store/queries/license-files/rejects";
import { forecastUndo } from "@countersign/store/queries/license-files/undo";
import type { Database } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables/license-files";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { closeConnection } from "../../api/bounded-body.ts";
import {
  type BoundRoute,
  bind,
  type Context,
  type MemberContext,
  type ProductContext,
} from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { invalidField, Problem } from "../../http/problem.ts";
import { actorColumns, audit } from "../audit-log/record.ts";
import { filterOf } from "../licenses/list.ts";
import { missingPermission } from "../members/lock.ts";
import { checkOpenForSale } from "../products/product.ts";
import { exportText, fileName } from "./export.ts";
import { importRunner } from "./import-runner.ts";
import {
  auditRow,
  FileProblem,
  type ImportActor,
  type ImportOptions,
  leaseMs,
  newImport,
  removeUnstarted,
} from "./job.ts";
import { FileTooLarge, maxFileBytes, receive } from "./receive.ts";
import { rowReader } from "./row-reader.ts";
import { daysToUndo } from "./run.ts";
import { canBeUndone, showImport, showImportWithErrors, shownErrors } from "./show.ts";
import type { RequestedUndo } from "./undo-on-request.ts";

/** Undo is forecast in steps of this size; nothing is locked. */
const licensesAtOnce = 2_000;

export const licenseFileRoutes: readonly BoundRoute[] = [
  bind(contract.importLicenses, async (context, { query }) => {
    const { store, log } = context;
    checkOpenForSale(context.product);
    if (query.on_existing === "update") checkMayUpdate(context);
    const runner = importRunner(store, log);
    const options: ImportOptions = {
      format: formatOf(context.request.headers.get("content-type")),
      source: query.source ?? null,
      defaultCustomerEmail: query.default_customer_email ?? null,
      dryRun: query.dry_run,
      mode: query.mode,
      onExisting: query.on_existing,
      sendEvents: query.send_events,
      columns: query.columns,
      fileName: query.file_name ?? null,
    };
    const { time_zone: timeZone } = context.organization;
    const nowMs = await store.clock();
    const job = newImport({
      product: context.product,
      timeZone,
      options,
      actor: actorOf(context),
      claimant: runner.claimant,
      nowMs,
    });
    await store.transaction((db) => addImport(db, job));
    try {
      const bytes = await receiveBody(context, job, runner.claimant);
      const answer = await context.transaction(async (db) => {
        const arrived = { state: "waiting", bytes_total: bytes, claimed_by: null, claimed_until: 0 } as const;
        if (!(await updateImport(db, job.id, runner.claimant, arrived))) throw givenUp();
        await addAuditEntries(db, [auditRow(job, "import.started", nowMs)]);
        return showImportWithErrors({ ...job, ...arrived });
      });
      runner.wake();
      return answer;
    } catch (error) {
      await removeUnstarted(store, job.id);
      throw asProblem(error);
    }
  }),

  bind(contract.listLicenseImports, async (context, { query }) => {
    const before = decodeCursor(query.cursor, ["number", "text"]);
    const rows = await importsOf(context.store.reads, context.product.id, {
      before: before === null ? null : { createdAt: Number(before[0]), id: String(before[1]) },
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => [row.created_at, row.id], showImport);
  }),

  bind(contract.listOrganizationImports, async (context, { query }) => {
    const before = decodeCursor(query.cursor, ["text"]);
    const rows = await importsOfOrganization(context.store.reads, context.organization.id, {
      beforeId: before === null ? null : String(before[0]),
      limit: query.limit + 1,
    });
    return pageOf(
      rows,
      query.limit,
      (row) => [row.id],
      (row) => ({ ...showImport(row), product_name: row.product_name }),
    );
  }),

  bind(contract.getLicenseImport, async (context, input) =>
    showImportWithErrors(await findImport(context, input.params.import_id)),
  ),

  bind(contract.listRejectedRows, async (context, input) => {
    const { id } = await findImport(context, input.params.import_id);
    const after = decodeCursor(input.query.cursor, ["number"]);
    const rows = await rejectsOf(context.store.reads, id, {
      after: after === null ? 0 : Number(after[0]),
      limit: input.query.limit + 1,
    });
    const columns = await rejectedHeader(context.store.reads, id);
    const page = pageOf(
      rows,
      input.query.limit,
      (row) => [row.number],
      (row) => ({ row: row.number, cells: JSON.parse(row.cells), errors: shownErrors(row.errors) }),
    );
    return { ...page, columns };
  }),

  bind(contract.cancelLicenseImport, (context, input) =>
    context.transaction(async (db) => {
      const { id } = await findImport(context, input.params.import_id, db);
      if (!(await requestCancel(db, id, context.nowMs))) throw new Problem("import_finished");
      await audit(db, context, {
        action: "import.cancelled",
        subject: { kind: "import", id, name: null },
      });
      return showImportWithErrors(await findImport(context, id, db));
    }),
  ),

  bind(contract.forecastImportUndo, async (context, input) => {
    const { id } = await findImport(context, input.params.import_id);
    const sum = { created: 0, used: 0, updated: 0, changed: 0 };
    for (let after: string | null = ""; after !== null; ) {
      const { counts, next } = await forecastUndo(context.store.reads, id, after, licensesAtOnce);
      sum.created += counts.created;
      sum.used += counts.used;
      sum.updated += counts.updated;
      sum.changed += counts.changed;
      after = next;
      await yieldToEventLoop();
    }
    return sum;
  }),

  bind(contract.undoLicenseImport, async (context, input) => {
    const answer = await context.transaction(async (db) => {
      const row = await findImport(context, input.params.import_id, db);
      checkMayUndo(context, row);
      const undo: RequestedUndo = {
        actor: actorOf(context),
        requested_at: context.nowMs,
        delete_used: input.body.delete_used,
        deleted: 0,
        restored: 0,
        kept: 0,
      };
      if (!canBeUndone(row) || !(await requestUndo(db, row.id, JSON.stringify(undo), context.nowMs)))
        throw whyNot(row);
      return showImportWithErrors(await findImport(context, row.id, db));
    });
    importRunner(context.store, context.log).wake();
    return answer;
  }),

  bind(contract.exportLicenses, async (context, { query }) => {
    const { id, name, slug } = context.organization;
    const { format, ...filters } = query;
    const filter = await filterOf(context, filters);
    return download(context, {
      name: fileName(slug, format, context.nowMs),
      contentType: format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson",
      parts: textsOf(exportText(context.store, filter, format, context.nowMs)),
      begin: () =>
        context.transaction((db) =>
          audit(db, context, {
            action: "licenses.exported",
            subject: { kind: "organization", id, name },
            after: { format, ...filters },
          }),
        ),
    });
  }),
];

async function* textsOf(parts: ReturnType<typeof exportText>): AsyncGenerator<string, void> {
  for await (const { text } of parts) yield text;
}

function formatOf(contentType: string | null): ImportOptions["format"] {
  const type = contentType?.toLowerCase() ?? "";
  if (type.includes("ndjson")) return "jsonl";
  return type.includes("json") ? "json" : "csv";
}

async function receiveBody(context: Context, job: ImportRow, claimant: string): Promise<number> {
  const { store, body } = context;
  if (body === null) throw new FileProblem({ code: "file_empty", params: {} });
  return receive(store, job.id, body, rowReader(job, job.created_at), async () => {
    const untilMs = (await store.clock()) + leaseMs;
    const isOurs = await store.transaction((db) =>
      updateImport(db, job.id, claimant, { claimed_until: untilMs }),
    );
    if (!isOurs) throw givenUp();
  });
}

/** The server was too slow to record that the file is still arriving, and another one has removed the import. */
function givenUp(): Problem {
  return new Problem("import_abandoned", {}, { headers: { "retry-after": "1" } });
}

function asProblem(error: unknown): unknown {
  if (error instanceof FileProblem) return invalidField("body", error.fault);
  const isTooLarge = error instanceof Problem && error.code === "body_too_large";
  if (!isTooLarge && !(error instanceof FileTooLarge)) return error;
  const limit = `${maxFileBytes / 1024 / 1024} MiB`;
  return new Problem("file_too_large", { limit }, { headers: closeConnection });
}

/** Rows can set an expiry and revoke a license, so updating existing ones requires both permissions. */
function checkMayUpdate(context: MemberContext): void {
  for (const permission of ["licenses:update", "licenses:revoke"] as const)
    if (!context.organizationAccess.permissions.has(permission)) throw missingPermission(permission);
}

function whyNot({ state, dry_run: dryRun, undo, created, updated, finished_at: end }: ImportRow): Problem {
  if (undo !== null) return new Problem("import_undone");
  if (end === null) return new Problem("import_running");
  if (dryRun === 1 || state === "failed" || created + updated === 0)
    return new Problem("import_changed_nothing");
  return new Problem("import_too_old", { days: daysToUndo });
}

/** It does what the two permissions allow: it deletes licenses, and changes those that the file had changed. */
function checkMayUndo(context: MemberContext, { updated }: ImportRow): void {
  const needed: Permission[] = ["licenses:delete"];
  if (updated > 0) needed.push("licenses:update", "licenses:revoke");
  for (const permission of needed)
    if (!context.organizationAccess.permissions.has(permission)) throw missingPermission(permission);
}

/** The import in the path, if it belongs to the product. */
async function findImport(
  context: ProductContext,
  id: string,
  db: Database = context.store.reads,
): Promise<ImportRow> {
  const row = await importById(db, id);
  if (row === undefined || row.product_id !== context.product.id) throw new Problem("import_not_found");
  return row;
}

/** The sender of the file is also recorded when the import ends, which can be long after the request. */
function actorOf(context: Context): ImportActor {
  return { ...actorColumns(context), ip: context.ip, request_id: context.requestId };
}
