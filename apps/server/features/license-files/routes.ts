import * as contract from "@countersign/contract/manage/license-files";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import {
  addImport,
  importsOf,
  importsOfOrganization,
  updateImport,
} from "@countersign/store/queries/license-files/imports";
import { rejectedHeader, rejectsOf } from "@countersign/store/queries/license-files/rejects";
import type { ImportRow } from "@countersign/store/tables/license-files";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { closeConnection } from "../../api/bounded-body.ts";
import type { Context, MemberContext } from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { invalidField, Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { filterOf } from "../licenses/list.ts";
import { missingPermission } from "../members/lock.ts";
import { checkOpenForSale } from "../products/open-for-sale.ts";
import { actorOf } from "./actor.ts";
import { auditRow } from "./audit-row.ts";
import { exportText, fileName } from "./export.ts";
import { FileProblem } from "./failed.ts";
import { findImport } from "./find-import.ts";
import { importRunner } from "./import-runner.ts";
import { type ImportOptions, newImport } from "./job.ts";
import { leaseMs } from "./lease.ts";
import { FileTooLarge, mostBytes, receive } from "./receive.ts";
import { removeUnstarted } from "./remove.ts";
import { rowReader } from "./rows.ts";
import { showImport, showImportWithErrors, shownErrors } from "./show.ts";
import { undoRoutes } from "./undo-routes.ts";

export const licenseFileRoutes: readonly BoundRoute[] = [
  bind(contract.importLicenses, async (context, { query }) => {
    const { store, log } = context;
    checkOpenForSale(context.product);
    if (query.on_existing === "update") checkMayUpdate(context);
    const runner = importRunner(store, log);
    const options: ImportOptions = {
      format: context.request.headers.get("content-type")?.toLowerCase().includes("ndjson") ? "jsonl" : "csv",
      dryRun: query.dry_run,
      mode: query.mode,
      onExisting: query.on_existing,
      sendEvents: query.send_events,
      columns: query.columns,
      fileName: query.file_name ?? null,
    };
    const { time_zone: timeZone } = context.organization;
    const nowMs = await store.clock();
    const job = newImport(context.product, timeZone, options, actorOf(context), runner.claimant, nowMs);
    await store.transaction((db) => addImport(db, job));
    try {
      const bytes = await receiveBody(context, job, runner.claimant, options);
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

  ...undoRoutes,

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

async function receiveBody(
  context: Context,
  job: ImportRow,
  claimant: string,
  options: ImportOptions,
): Promise<number> {
  const { store, body } = context;
  if (body === null) throw new FileProblem({ code: "file_empty", params: {} });
  return receive(store, job.id, body, rowReader(options.format, options.columns), async () => {
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
  const limit = `${mostBytes / 1024 / 1024} MiB`;
  return new Problem("file_too_large", { limit }, { headers: closeConnection });
}

/** Rows can set an expiry and revoke a license, so updating existing ones requires both permissions. */
function checkMayUpdate(context: MemberContext): void {
  for (const permission of ["licenses:update", "licenses:revoke"] as const)
    if (!context.organizationAccess.permissions.has(permission)) throw missingPermission(permission);
}
