import { z } from "zod";
import { reason } from "../api/license-fields.ts";
import { member, route } from "../api/route.ts";
import { id, page, pageQuery } from "../api/shapes.ts";
import { transfer } from "../api/transfer.ts";

const group = "Transfers";

export const listTransfers = route({
  id: "listTransfers",
  method: "GET",
  path: "/organizations/{organization_id}/transfers",
  summary: "List license transfers, newest first",
  group,
  access: member("transfers:review"),
  query: pageQuery.extend({
    state: z.enum(["pending", "approved", "rejected", "cancelled"]).optional(),
    license_id: id.optional(),
  }),
  answer: page(transfer),
});

export const getTransfer = route({
  id: "getTransfer",
  method: "GET",
  path: "/transfers/{transfer_id}",
  summary: "Get a license transfer",
  group,
  access: member("transfers:review"),
  answer: transfer,
});

export const approveTransfer = route({
  id: "approveTransfer",
  method: "POST",
  path: "/transfers/{transfer_id}/approve",
  summary: "Approve a license transfer",
  description:
    "The license belongs to the recipient from the next request on. Depending on the product, its IP addresses are removed and its key is replaced. The recipient gets an email.",
  group,
  access: member("transfers:review"),
  answer: transfer,
  status: 200,
  problems: ["transfer_not_pending", "transfer_product_inactive", "transfer_license_revoked"],
});

export const rejectTransfer = route({
  id: "rejectTransfer",
  method: "POST",
  path: "/transfers/{transfer_id}/reject",
  summary: "Reject a license transfer",
  group,
  access: member("transfers:review"),
  body: z.strictObject({ reason: reason.meta({ description: "Shown to the customer." }) }),
  answer: transfer,
  status: 200,
  problems: ["transfer_not_pending"],
});
