import * as contract from "@countersign/contract/manage/customer-erasure";
import { erasureCounts } from "@countersign/store/queries/customer-erasure/erasures";
import { customerOf } from "@countersign/store/queries/customers/views";
import { type BoundRoute, bind, type MemberContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { checkReauthenticated } from "../identity/sign-in/reauthenticate.ts";
import { beginErasure } from "./begin.ts";

/** For a customer who asks that everything about them is deleted. */
export const customerErasureRoutes: readonly BoundRoute[] = [
  bind(contract.getCustomerErasure, async (context, { params }) => {
    checkPermissions(context);
    return countsOf(context, params.customer_id);
  }),

  bind(contract.eraseCustomer, async (context, { params, body }) => {
    checkPermissions(context);
    const { store, signIn, ip, nowMs, actor } = context;
    const { password, confirmation } = body;
    const proof = { store, flood: signIn.flood, password, confirmation, ip, nowMs };
    if (actor.kind === "person") await checkReauthenticated({ ...proof, actor });
    const counts = await countsOf(context, params.customer_id);
    const about = { organizationId: context.organization.id, customerId: params.customer_id };
    return context.transaction(async (db) => {
      const request = { ...about, licenseCount: body.licenses, counts, nowMs };
      await audit(db, context, await beginErasure(db, request));
      return counts;
    });
  }),
];

function checkPermissions({ organizationAccess }: MemberContext): void {
  for (const permission of contract.eraseCustomerPermissions)
    if (!organizationAccess.permissions.has(permission))
      throw new Problem("permission_missing", { permission });
}

async function countsOf({ store, organization }: MemberContext, customerId: string) {
  const customer = await customerOf(store.reads, organization.id, customerId);
  if (customer === undefined) throw new Problem("customer_not_found");
  return erasureCounts(store.reads, organization.id, customer);
}
