import * as contract from "@countersign/contract/manage/license-files";
import type { Permission } from "@countersign/domain/members/permissions";
import { requestCancel, requestUndo } from "@countersign/store/queries/license-files/imports";
import { forecastUndo } from "@countersign/store/queries/license-files/undo";
import type { ImportRow } from "@countersign/store/tables/license-files";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { MemberContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { missingPermission } from "../members/lock.ts";
import { actorOf } from "./actor.ts";
import { findImport } from "./find-import.ts";
import { importRunner } from "./import-runner.ts";
import { daysToUndo } from "./run.ts";
import { canBeUndone, showImportWithErrors } from "./show.ts";
import type { RequestedUndo } from "./undo-on-request.ts";

/** Read in steps of this size; nothing is locked. */
const licensesAtOnce = 2_000;

export const undoRoutes: readonly BoundRoute[] = [
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
];

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
