import * as contract from "@countersign/contract/manage/ip-blocks";
import { customerOf } from "@countersign/store/queries/customers/views";
import { lockedLicense } from "@countersign/store/queries/licenses/views";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { LicenseContext, OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { addBlock, type BlockList, changeBlock, listBlocks, removeBlock } from "./blocks.ts";

export const ipBlockRoutes: readonly BoundRoute[] = [
  bind(contract.listOrganizationIpBlocks, async (context, { query }) =>
    listBlocks(context.store.reads, organizationScope(context), query),
  ),
  bind(contract.addOrganizationIpBlock, async (context, { body }) =>
    context.transaction(async (db) => addBlock(db, context, await ofOrganization(db, context), body)),
  ),
  bind(contract.updateOrganizationIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      changeBlock(db, context, await ofOrganization(db, context), input.params.block_id, input.body),
    ),
  ),
  bind(contract.removeOrganizationIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      removeBlock(db, context, await ofOrganization(db, context), input.params.block_id),
    ),
  ),

  bind(contract.listCustomerIpBlocks, async (context, input) => {
    const db = context.store.reads;
    return listBlocks(db, await customerScope(db, context, input.params.customer_id), input.query);
  }),
  bind(contract.addCustomerIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      addBlock(db, context, await ofCustomer(db, context, input.params.customer_id), input.body),
    ),
  ),
  bind(contract.updateCustomerIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      changeBlock(
        db,
        context,
        await ofCustomer(db, context, input.params.customer_id),
        input.params.block_id,
        input.body,
      ),
    ),
  ),
  bind(contract.removeCustomerIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      removeBlock(
        db,
        context,
        await ofCustomer(db, context, input.params.customer_id),
        input.params.block_id,
      ),
    ),
  ),

  bind(contract.listLicenseIpBlocks, async (context, { query }) =>
    listBlocks(context.store.reads, licenseScope(context), query),
  ),
  bind(contract.addLicenseIpBlock, async (context, { body }) =>
    context.transaction(async (db) => addBlock(db, context, await ofLicense(db, context), body)),
  ),
  bind(contract.updateLicenseIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      changeBlock(db, context, await ofLicense(db, context), input.params.block_id, input.body),
    ),
  ),
  bind(contract.removeLicenseIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      removeBlock(db, context, await ofLicense(db, context), input.params.block_id),
    ),
  ),
];

/** Each of these locks the row with the scope's counters, so that concurrent writes to a list are serialized. */

async function ofOrganization(db: Database, context: OrganizationContext): Promise<BlockList> {
  const row = await lockedOrganization(db, context.organization.id);
  if (row === undefined) throw new Problem("organization_not_found");
  return organizationScope(context);
}

async function ofCustomer(
  db: Database,
  context: OrganizationContext,
  customerId: string,
): Promise<BlockList> {
  await ofOrganization(db, context);
  return customerScope(db, context, customerId);
}

async function ofLicense(db: Database, context: LicenseContext): Promise<BlockList> {
  const row = await lockedLicense(db, context.license.id);
  if (row === undefined) throw new Problem("license_not_found");
  return licenseScope(context);
}

function organizationScope(context: OrganizationContext): BlockList {
  return { tier: "organization", organizationId: context.organization.id };
}

async function customerScope(
  db: Database,
  context: OrganizationContext,
  customerId: string,
): Promise<BlockList> {
  const { id: organizationId } = context.organization;
  const customer = await customerOf(db, organizationId, customerId);
  if (customer === undefined) throw new Problem("customer_not_found");
  return { tier: "customer", organizationId, customerId: customer.customer_id };
}

function licenseScope(context: LicenseContext): BlockList {
  const { id: licenseId, organization_id: organizationId, license_key: licenseKey } = context.license;
  return { tier: "license", organizationId, licenseId, licenseKey };
}
