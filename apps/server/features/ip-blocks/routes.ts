import * as contract from "@countersign/contract/manage/ip-blocks";
import { customerOf } from "@countersign/store/queries/customers/views";
import type { BlockScope } from "@countersign/store/queries/ip-blocks/blocks";
import { lockedLicense, lockedOrganization } from "@countersign/store/queries/manage/access";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind, type Input, param } from "../../api/bind.ts";
import { type Context, requireLicense, requireOrganization } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { addBlock, changeBlock, listBlocks, removeBlock } from "./blocks.ts";

export const ipBlockRoutes: readonly BoundRoute[] = [
  bind(contract.listOrganizationIpBlocks, async (context, { query }) =>
    listBlocks(context.store.reads, organizationScope(context), query),
  ),
  bind(contract.addOrganizationIpBlock, async (context, { body }) =>
    context.transaction(async (db) => addBlock(db, context, await ofOrganization(db, context), body)),
  ),
  bind(contract.updateOrganizationIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      changeBlock(db, context, await ofOrganization(db, context), blockId(input), input.body),
    ),
  ),
  bind(contract.removeOrganizationIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      removeBlock(db, context, await ofOrganization(db, context), blockId(input)),
    ),
  ),

  bind(contract.listCustomerIpBlocks, async (context, input) => {
    const db = context.store.reads;
    return listBlocks(db, await customerScope(db, context, input), input.query);
  }),
  bind(contract.addCustomerIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      addBlock(db, context, await ofCustomer(db, context, input), input.body),
    ),
  ),
  bind(contract.updateCustomerIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      changeBlock(db, context, await ofCustomer(db, context, input), blockId(input), input.body),
    ),
  ),
  bind(contract.removeCustomerIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      removeBlock(db, context, await ofCustomer(db, context, input), blockId(input)),
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
      changeBlock(db, context, await ofLicense(db, context), blockId(input), input.body),
    ),
  ),
  bind(contract.removeLicenseIpBlock, async (context, input) =>
    context.transaction(async (db) => removeBlock(db, context, await ofLicense(db, context), blockId(input))),
  ),
];

/** Each of these locks the row with the scope's counters, so that concurrent writes to a list are serialized. */

async function ofOrganization(db: Database, context: Context): Promise<BlockScope> {
  const row = await lockedOrganization(db, requireOrganization(context).id);
  if (row === undefined) throw new Problem("organization_not_found");
  return organizationScope(context);
}

async function ofCustomer(db: Database, context: Context, input: AnyInput): Promise<BlockScope> {
  await ofOrganization(db, context);
  return customerScope(db, context, input);
}

async function ofLicense(db: Database, context: Context): Promise<BlockScope> {
  const row = await lockedLicense(db, requireLicense(context).id);
  if (row === undefined) throw new Problem("license_not_found");
  return licenseScope(context);
}

function organizationScope(context: Context): BlockScope {
  return { tier: "organization", organizationId: requireOrganization(context).id };
}

async function customerScope(db: Database, context: Context, input: AnyInput): Promise<BlockScope> {
  const { id: organizationId } = requireOrganization(context);
  const customer = await customerOf(db, organizationId, param(input, "customer_id"));
  if (customer === undefined) throw new Problem("customer_not_found");
  return { tier: "customer", organizationId, customerId: customer.customer_id };
}

function licenseScope(context: Context): BlockScope {
  const { id: licenseId, organization_id: organizationId } = requireLicense(context);
  return { tier: "license", organizationId, licenseId };
}

type AnyInput = Input<unknown, unknown>;

function blockId(input: AnyInput): string {
  return param(input, "block_id");
}
