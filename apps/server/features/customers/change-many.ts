import { knownCustomerId } from "@countersign/store/queries/customers/identify";
import { customerOf, someLicenseIdsOfCustomer } from "@countersign/store/queries/customers/views";
import {
  type CustomerNames,
  refreshSearchTextOf,
  staleTexts,
} from "@countersign/store/queries/licenses/search";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { Context, OrganizationContext } from "../../api/context.ts";
import {
  type CustomerChanges,
  type CustomerView,
  changeCustomer,
  changedView,
  isSamePerson,
  moveAndRecord,
  type ShownCustomer,
  showWithCount,
  writeChangedCustomer,
} from "./change.ts";

/** A customer with more licenses is changed in several transactions: on SQLite everyone else waits for each. */
const fewLicenses = 100;
const licensesAtOnce = 50;

/**
 * Changes a customer, however many licenses they have. The licenses are updated before the change is recorded and
 * acknowledged: if that is interrupted, repeating the request does the rest.
 */
export async function changeCustomerInSteps(
  context: OrganizationContext,
  customerId: string,
  changes: CustomerChanges,
): Promise<ShownCustomer> {
  const before = await customerOf(context.store.reads, context.organization.id, customerId);
  const { updated_at: _, ...fields } = changes;
  const intended = before === undefined ? null : changedView(context, before, fields);
  const change = (movedBefore: number | null) =>
    context.transaction((db) => changeCustomer(db, context, customerId, changes, movedBefore));
  if (before === undefined || intended === null || !(await isAboutMany(context, before, intended)))
    return showWithCount(context.store.reads, await change(null));
  let moved = 0;
  let view = intended;
  if (isSamePerson(before, intended)) await refreshTexts(context, view);
  else {
    ({ view } = await context.store.transaction((db) =>
      writeChangedCustomer(db, context, customerId, changes),
    ));
    moved = await moveAll(context, customerId, view);
  }
  const changed = await change(moved);
  // Those created in the meantime, and those that the other customer already had.
  await refreshTexts(context, view);
  return showWithCount(context.store.reads, changed);
}

async function isAboutMany(
  context: OrganizationContext,
  before: CustomerView,
  changed: CustomerView,
): Promise<boolean> {
  if (await hasMany(context, before.customer_id)) return true;
  if (isSamePerson(before, changed)) return false;
  const { email, discord_id: discordId } = changed;
  if (email === null && discordId === null) return false;
  const { id } = context.organization;
  const other = await knownCustomerId(context.store.reads, id, { email, discordId });
  return other !== null && (await hasMany(context, other));
}

async function hasMany(context: OrganizationContext, customerId: string): Promise<boolean> {
  const { id } = context.organization;
  const licenseIds = await someLicenseIdsOfCustomer(context.store.reads, id, customerId, fewLicenses + 1);
  return licenseIds.length > fewLicenses;
}

/** All but a few, which the final transaction includes. */
async function moveAll(context: OrganizationContext, fromId: string, view: CustomerView): Promise<number> {
  const { store } = context;
  const { id } = context.organization;
  for (let moved = 0; ; await yieldToEventLoop()) {
    const ids = await someLicenseIdsOfCustomer(store.reads, id, fromId, licensesAtOnce);
    if (ids.length < licensesAtOnce) return moved;
    moved += await store.transaction(async (db) => {
      const count = await moveAndRecord(db, context, { fromId, toId: view.customer_id }, ids);
      await refreshSearchTextOf(db, ids, namesOf(view));
      return count;
    }, "soon");
  }
}

async function refreshTexts(context: Context, view: CustomerView): Promise<void> {
  const { store } = context;
  const { organization_id: organizationId, customer_id: customerId } = view;
  for (let after: string | null = ""; after !== null; await yieldToEventLoop()) {
    const texts = await staleTexts(store.reads, organizationId, customerId, namesOf(view), after);
    if (texts.stale.length > 0)
      await store.transaction((db) => refreshSearchTextOf(db, texts.stale, namesOf(view)), "soon");
    after = texts.last;
  }
}

function namesOf({ email, name, discord_id: discordId }: CustomerView): CustomerNames {
  return { email, name, discordId };
}
