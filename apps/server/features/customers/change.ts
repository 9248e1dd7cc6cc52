import type { customer, updateCustomer } from "@countersign/contract/manage/customers";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { newId } from "@countersign/store/new-id";
import { movePast } from "@countersign/store/queries/customers/holders";
import {
  customerFor,
  identityOf,
  removeUnknownCustomers,
} from "@countersign/store/queries/customers/identify";
import {
  type CustomerMove,
  customerOf,
  licenseCountsOf,
  licenseIdsOfCustomer,
  lockedCustomer,
  moveLicenses,
  removeCustomerView,
  writeCustomerView,
} from "@countersign/store/queries/customers/views";
import { moveCustomerBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { refreshSearchText } from "@countersign/store/queries/licenses/search";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import type { OrganizationCustomerRow } from "@countersign/store/tables/licenses";
import type { z } from "zod";
import { type Context, checkUnchanged, nextUpdatedAt, type OrganizationContext } from "../../api/context.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit, difference } from "../audit-log/record.ts";
import { recordingChanges } from "../events/record-changes.ts";

export type CustomerChanges = z.output<typeof updateCustomer.body>;

/** The new record of a customer: their own, or that of the customer they turn out to be. */
export async function writeChangedCustomer(
  db: Database,
  context: OrganizationContext,
  customerId: string,
  { updated_at: guard, ...changes }: CustomerChanges,
): Promise<{ row: OrganizationCustomerRow; view: CustomerView }> {
  const { id: organizationId } = context.organization;
  // Two changes that swap two customers would each lock what the other needs: locking the organization's row serializes
  // them.
  await lockedOrganization(db, organizationId);
  const row = await lockedCustomer(db, organizationId, customerId);
  if (row === undefined) throw new Problem("customer_not_found");
  checkUnchanged(context, row.updated_at, guard);
  const changed = changedView(context, row, changes);
  checkIdentified(changed);
  const view = isSamePerson(row, changed) ? changed : await becomeAnother(db, context, changed, changes);
  await writeCustomerView(db, view);
  return { row, view };
}

export function changedView(
  context: Context,
  row: OrganizationCustomerRow,
  changes: Omit<CustomerChanges, "updated_at">,
): CustomerView {
  return {
    organization_id: row.organization_id,
    customer_id: row.customer_id,
    email: changes.email === undefined ? row.email : changes.email,
    name: changes.name === undefined ? row.name : changes.name,
    discord_id: changes.discord_id === undefined ? row.discord_id : changes.discord_id,
    created_at: row.created_at,
    updated_at: nextUpdatedAt(context, row.updated_at),
  };
}

/**
 * Writes the new record of a customer; if it now identifies someone else, the licenses follow. `movedBefore` licenses
 * have already followed, and if there are many, the caller updates the search texts: see `change-many.ts`. Null for a
 * customer with few.
 */
export async function changeCustomer(
  db: Database,
  context: OrganizationContext,
  customerId: string,
  changes: CustomerChanges,
  movedBefore: number | null,
): Promise<CustomerView> {
  const { id: organizationId } = context.organization;
  const { row, view } = await writeChangedCustomer(db, context, customerId, changes);
  const moved =
    view.customer_id === customerId
      ? 0
      : await moveEverything(db, context, { fromId: customerId, toId: view.customer_id }, movedBefore);
  if (movedBefore === null) await refreshSearchText(db, organizationId, view.customer_id);
  const { email, name, discord_id, customer_id } = view;
  const before = { ...row, id: row.customer_id };
  const { before: was, after: is } = difference(before, { email, name, discord_id, id: customer_id });
  await audit(db, context, {
    action: "customer.updated",
    subject: { kind: "customer", id: customer_id, name: nameOf(view) },
    before: was,
    after: view.customer_id === customerId ? is : { ...is, licenses_moved: moved },
  });
  return view;
}

export function checkIdentified(who: Pick<CustomerView, "email" | "discord_id">): void {
  if (who.email !== null || who.discord_id !== null) return;
  throw invalid("email", "email_or_discord_id");
}

/** The customer's name in a list of changes. */
export function nameOf(view: CustomerView): string | null {
  return view.name ?? view.email ?? view.discord_id;
}

export function isSamePerson(a: CustomerView, b: CustomerView): boolean {
  const [one, other] = [a, b].map((view) => identityOf({ email: view.email, discordId: view.discord_id }));
  return one?.email === other?.email && one?.discord_id === other?.discord_id;
}

/**
 * The record of the customer with the new identifier. If the organization already knows that customer, the two are
 * merged: the new values win, then those of the changed customer, then those of the other.
 */
async function becomeAnother(
  db: Database,
  context: Context,
  changed: CustomerView,
  changes: Omit<CustomerChanges, "updated_at">,
): Promise<CustomerView> {
  const who = { email: changed.email, discordId: changed.discord_id, name: changed.name };
  const id = await customerFor(db, changed.organization_id, who, newId, context.nowMs);
  const other = await customerOf(db, changed.organization_id, id);
  if (other === undefined) throw new Error(`Customer ${id} was written but does not exist.`);
  return {
    ...changed,
    customer_id: id,
    name: changes.name === undefined ? (changed.name ?? other.name) : changes.name,
    discord_id:
      changes.discord_id === undefined ? (changed.discord_id ?? other.discord_id) : changes.discord_id,
    created_at: Math.min(changed.created_at, other.created_at),
    updated_at: Math.max(changed.updated_at, other.updated_at),
  };
}

/** From one customer's ID to another's. */
async function moveEverything(
  db: Database,
  context: OrganizationContext,
  move: CustomerMove,
  movedBefore: number | null,
): Promise<number> {
  const { fromId, toId } = move;
  const { id: organizationId } = context.organization;
  // The licenses of both, because the texts of both are rewritten; together, so that they are locked in the same order
  // as by validations.
  const licenseIds = await licenseIdsOfCustomer(db, organizationId, fromId);
  const alsoLocked = movedBefore === null ? await licenseIdsOfCustomer(db, organizationId, toId) : [];
  const moved = await moveAndRecord(db, context, move, licenseIds, alsoLocked);
  const scope = { tier: "customer", organizationId } as const;
  await moveCustomerBlocks(db, { ...scope, customerId: fromId }, { ...scope, customerId: toId });
  await movePast(db, move);
  await removeCustomerView(db, organizationId, fromId);
  await removeUnknownCustomers(db, [fromId]);
  return moved + (movedBefore ?? 0);
}

/** Transfers these licenses to another customer, and records the events. */
export async function moveAndRecord(
  db: Database,
  context: OrganizationContext,
  move: CustomerMove,
  ids: readonly string[],
  alsoLocked: readonly string[] = [],
): Promise<number> {
  const { nowMs } = context;
  await context.store.bulk.lockLicenses(db, [...ids, ...alsoLocked]);
  return recordingChanges(db, nowMs, "license.updated", ids, () =>
    moveLicenses(db, context.organization.id, move, ids, nowMs),
  );
}

export type ShownCustomer = z.input<typeof customer>;

export type CustomerView = Omit<OrganizationCustomerRow, "search_text">;

export function showCustomer(row: CustomerView, licenseCount: number): ShownCustomer {
  return {
    id: row.customer_id,
    email: row.email,
    name: row.name,
    discord_id: row.discord_id,
    license_count: licenseCount,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export async function showWithCount(db: Database, row: CustomerView): Promise<ShownCustomer> {
  const counts = await licenseCountsOf(db, row.organization_id, [row.customer_id]);
  return showCustomer(row, counts.get(row.customer_id) ?? 0);
}
