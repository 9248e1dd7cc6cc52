import type { updateCustomer } from "@countersign/contract/manage/customers";
import { lockedOrganization } from "@countersign/store/queries/access";
import {
  customerOf,
  licenseIdsOfCustomer,
  lockedCustomer,
  moveLicenses,
  removeCustomerView,
  writeCustomerView,
} from "@countersign/store/queries/customer-views";
import { customerFor, identityOf, removeUnknownCustomers } from "@countersign/store/queries/customers";
import { moveCustomerBlocks } from "@countersign/store/queries/ip-blocks";
import { refreshSearchText } from "@countersign/store/queries/license-search";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import { type Context, checkUnchanged, nextUpdatedAt, theOrganization } from "../../http/manage/context.ts";
import { invalid, notFound } from "../../http/manage/problem.ts";
import { newId } from "../../new-id.ts";
import { audit, difference } from "../audit-log/record.ts";
import { tellingChanges } from "../events/tell-changes.ts";
import { type CustomerView, type ShownCustomer, showWithCount } from "./show.ts";

type Changes = z.output<typeof updateCustomer.body>;

/** Writes what the organization now says of a customer; when it now names somebody else, its licenses follow. */
export async function changeCustomer(
  db: Database,
  context: Context,
  customerId: string,
  { updated_at: guard, ...changes }: Changes,
): Promise<ShownCustomer> {
  const { id: organizationId } = theOrganization(context);
  // Two changes that swap two customers would each hold what the other needs: the organization's row lets one in.
  await lockedOrganization(db, organizationId);
  const row = await lockedCustomer(db, organizationId, customerId);
  if (row === undefined) throw notFound("customer");
  checkUnchanged(context, row.updated_at, guard);
  const wanted: CustomerView = {
    organization_id: organizationId,
    customer_id: customerId,
    email: changes.email === undefined ? row.email : changes.email,
    name: changes.name === undefined ? row.name : changes.name,
    discord_id: changes.discord_id === undefined ? row.discord_id : changes.discord_id,
    created_at: row.created_at,
    updated_at: nextUpdatedAt(context, row.updated_at),
  };
  checkIdentified(wanted);
  const view = isSamePerson(row, wanted) ? wanted : await becomeAnother(db, context, wanted, changes);
  await writeCustomerView(db, view);
  const moved =
    view.customer_id === customerId
      ? 0
      : await moveEverything(db, context, organizationId, customerId, view.customer_id);
  await refreshSearchText(db, organizationId, view.customer_id);
  const { email, name, discord_id, customer_id } = view;
  const before = { ...row, id: row.customer_id };
  const { before: was, after: is } = difference(before, { email, name, discord_id, id: customer_id });
  await audit(db, context, {
    action: "customer.updated",
    subject: { kind: "customer", id: customer_id, name: nameOf(view) },
    before: was,
    after: view.customer_id === customerId ? is : { ...is, licenses_moved: moved },
  });
  return showWithCount(db, view);
}

export function checkIdentified(who: Pick<CustomerView, "email" | "discord_id">): void {
  if (who.email !== null || who.discord_id !== null) return;
  throw invalid("email", "or discord_id is needed: at least one of them says who the customer is");
}

/** What people call the customer in a list of changes. */
export function nameOf(view: CustomerView): string | null {
  return view.name ?? view.email ?? view.discord_id;
}

function isSamePerson(a: CustomerView, b: CustomerView): boolean {
  const [one, other] = [a, b].map((view) => identityOf({ email: view.email, discordId: view.discord_id }));
  return one?.email === other?.email && one?.discord_id === other?.discord_id;
}

/**
 * The view of the customer whose identifier was written. If the organization knew that customer already, the two
 * become one: what was just written wins, then what stood with the changed one, then what was known of the other.
 */
async function becomeAnother(
  db: Database,
  context: Context,
  wanted: CustomerView,
  changes: Changes,
): Promise<CustomerView> {
  const who = { email: wanted.email, discordId: wanted.discord_id, name: wanted.name };
  const id = await customerFor(db, wanted.organization_id, who, newId, context.nowMs);
  const other = await customerOf(db, wanted.organization_id, id);
  if (other === undefined) throw new Error(`Customer ${id} was written and is not there.`);
  return {
    ...wanted,
    customer_id: id,
    name: changes.name === undefined ? (wanted.name ?? other.name) : changes.name,
    discord_id:
      changes.discord_id === undefined ? (wanted.discord_id ?? other.discord_id) : changes.discord_id,
    created_at: Math.min(wanted.created_at, other.created_at),
    updated_at: Math.max(wanted.updated_at, other.updated_at),
  };
}

async function moveEverything(
  db: Database,
  context: Context,
  organizationId: string,
  fromId: string,
  toId: string,
): Promise<number> {
  // Those of both, because the texts of both are written anew; together, so that validations are met in their order.
  const theirs = await licenseIdsOfCustomer(db, organizationId, fromId);
  const others = await licenseIdsOfCustomer(db, organizationId, toId);
  await context.store.bulk.lockLicenses(db, [...theirs, ...others]);
  const { nowMs } = context;
  const moved = await tellingChanges(db, nowMs, "license.updated", theirs, () =>
    moveLicenses(db, organizationId, fromId, toId, nowMs),
  );
  const scope = { tier: "customer", organizationId } as const;
  await moveCustomerBlocks(db, { ...scope, customerId: fromId }, { ...scope, customerId: toId });
  await removeCustomerView(db, organizationId, fromId);
  await removeUnknownCustomers(db, [fromId]);
  return moved;
}
