import * as contract from "@countersign/contract/portal/licenses";
import { portalLicenseReference } from "@countersign/store/queries/portal/licenses";
import { portalTransferView, transfersOfPerson } from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind, type CustomerTransferContext } from "../../api/context.ts";
import { isTheirsNow } from "../../api/customer-access.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { endTransfer } from "./end.ts";
import { request } from "./request.ts";
import { showPortalTransfer } from "./show.ts";

export const portalTransferRoutes: readonly BoundRoute[] = [
  bind(contract.requestTransfer, (context, { body }) => request(context, body)),

  bind(contract.listPortalTransfers, async (context, { query }) => {
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await transfersOfPerson(context.store.reads, context.actor.personId, {
      beforeId: after === null ? null : String(after[0]),
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => [row.id], showPortalTransfer);
  }),

  bind(contract.cancelTransfer, (context) =>
    context.transaction(async (db) => {
      const { transfer } = context;
      await context.store.bulk.lockLicenses(db, [transfer.license_id]);
      if ((await portalTransferView(db, transfer.id)) === undefined || !(await mayCancel(db, context)))
        throw new Problem("not_found");
      const cancelled = await endTransfer(db, context, transfer, { state: "cancelled", by: "customer" });
      if (cancelled === undefined) throw new Problem("transfer_not_pending");
      const view = await portalTransferView(db, transfer.id);
      if (view === undefined) throw new Problem("not_found");
      return showPortalTransfer(view);
    }),
  ),
];

/** The requester, and the customer who has the license now. */
async function mayCancel(db: Database, context: CustomerTransferContext): Promise<boolean> {
  const { personId } = context.actor;
  const { requested_by: requesterId, license_id: licenseId } = context.transfer;
  if (requesterId === personId) return true;
  const license = await portalLicenseReference(db, licenseId);
  return license !== undefined && isTheirsNow(db, license, personId);
}
