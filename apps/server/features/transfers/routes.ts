import * as contract from "@countersign/contract/manage/transfers";
import { productById } from "@countersign/store/queries/products/products";
import { transferById } from "@countersign/store/queries/transfers/transfers";
import { transferPage, transferView } from "@countersign/store/queries/transfers/views";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind, type TransferContext } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { transferRejectedEmail } from "../mail/transfer-emails.ts";
import {
  carryOutTransfer,
  checkTransferable,
  drainForTransfer,
  type Licensed,
  licensedOf,
  writeToFormerHolder,
} from "./carry-out.ts";
import { endTransfer } from "./end.ts";
import { showTransfer, showTransfers } from "./show.ts";

export const transferRoutes: readonly BoundRoute[] = [
  bind(contract.listTransfers, async (context, { query }) => {
    const db = context.store.reads;
    const { id: organizationId } = context.organization;
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await transferPage(
      db,
      { organizationId, state: query.state ?? null, licenseId: query.license_id ?? null },
      { beforeId: after === null ? null : String(after[0]), limit: query.limit + 1 },
    );
    const { data, next_cursor } = pageOf(
      rows,
      query.limit,
      (row) => [row.id],
      (row) => row,
    );
    return { data: await showTransfers(db, organizationId, data, context.nowMs), next_cursor };
  }),

  bind(contract.getTransfer, (context) => show(context.store.reads, context)),

  bind(contract.approveTransfer, async (context) => {
    const { id, license_id: licenseId } = context.transfer;
    await checkShown(context);
    const drained = await drainForTransfer(context, licenseId, () =>
      approvable(context.store.reads, context, licenseId),
    );
    return context.transaction(async (db) => {
      await context.store.bulk.lockLicenses(db, [licenseId]);
      const licensed = await approvable(db, context, licenseId);
      const transfer = await transferById(db, id);
      if (transfer === undefined) throw new Problem("not_found");
      const approval = { by: "organization", name: context.actor.name } as const;
      await carryOutTransfer(db, context, { transfer, ...licensed, approval, drained });
      return show(db, context);
    });
  }),

  bind(contract.rejectTransfer, async (context, { body }) => {
    const { license_id: licenseId } = context.transfer;
    await checkShown(context);
    return context.transaction(async (db) => {
      await context.store.bulk.lockLicenses(db, [licenseId]);
      const rejected = await endTransfer(db, context, context.transfer, {
        state: "rejected",
        by: "organization",
        name: context.actor.name,
        reason: body.reason,
      });
      if (rejected === undefined) throw new Problem("transfer_not_pending");
      const product = await productById(db, rejected.product_id);
      if (product !== undefined)
        await writeToFormerHolder(db, context, rejected, product, transferRejectedEmail);
      return show(db, context);
    });
  }),
];

/** The transfers of a deleted product were deleted with it, as far as anyone can see. */
async function checkShown(context: TransferContext): Promise<void> {
  if ((await transferView(context.store.reads, context.transfer.id)) === undefined)
    throw new Problem("not_found");
}

/** The license, if the transfer waits and can be carried out now. */
async function approvable(db: Database, context: TransferContext, licenseId: string): Promise<Licensed> {
  const transfer = await transferById(db, context.transfer.id);
  // Before the license: once the transfer has ended, the license may no longer exist.
  if (transfer?.state !== "pending") throw new Problem("transfer_not_pending");
  const licensed = await licensedOf(db, context, licenseId);
  checkTransferable(licensed);
  return licensed;
}

async function show(db: Database, context: TransferContext) {
  const row = await transferView(db, context.transfer.id);
  if (row === undefined) throw new Problem("not_found");
  return showTransfer(db, row, context.nowMs);
}
