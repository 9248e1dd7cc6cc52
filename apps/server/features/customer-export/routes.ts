import * as contract from "@countersign/contract/manage/customers";
import { customerOf } from "@countersign/store/queries/customers/views";
import { type BoundRoute, bind } from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { textOf } from "../organization-export/lines.ts";
import { requestsKeptSince } from "../requests/show.ts";
import { customerLines } from "./lines.ts";

/** For a customer who asks what is held about them. */
export const customerExportRoutes: readonly BoundRoute[] = [
  bind(contract.exportCustomer, async (context, { params }) => {
    const { organization, store } = context;
    for (const permission of contract.exportCustomerPermissions)
      if (!context.organizationAccess.permissions.has(permission))
        throw new Problem("permission_missing", { permission });
    const customer = await customerOf(store.reads, organization.id, params.customer_id);
    if (customer === undefined) throw new Problem("customer_not_found");
    const keptSinceMs = await requestsKeptSince(context, organization);
    return download(context, {
      name: `customer-${customer.customer_id}.jsonl`,
      contentType: "application/x-ndjson; charset=utf-8",
      parts: textOf(customerLines(store, customer, keptSinceMs)),
      begin: () =>
        context.transaction((db) =>
          // Without a name: the entry stays when the customer is deleted.
          audit(db, context, {
            action: "customer.exported",
            subject: { kind: "customer", id: customer.customer_id, name: null },
          }),
        ),
    });
  }),
];
