import * as contract from "@countersign/contract/manage/customers";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { licenseRecord } from "@countersign/store/batches/license-record";
import { newId } from "@countersign/store/new-id";
import { customerIdFor, removeUnknownCustomers } from "@countersign/store/queries/customers/identify";
import {
  addCustomerView,
  customerLastSeen,
  customerOf,
  customersOf,
  customersStartingWith,
  licenseCountsOf,
  licensesOfCustomer,
  lockedCustomer,
  removeCustomerView,
  statusCountsOf,
} from "@countersign/store/queries/customers/views";
import { removeIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import { removeUnknownIdentities } from "@countersign/store/queries/portal/people";
import { eraseFromTransfers } from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import type { OrganizationCustomerRow } from "@countersign/store/tables/licenses";
import { type BoundRoute, bind, type OrganizationContext } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { searchPage } from "../../api/search.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { checkIdentified, nameOf, showCustomer } from "./change.ts";
import { changeCustomerInSteps } from "./change-many.ts";

export const customerRoutes: readonly BoundRoute[] = [
  bind(contract.listCustomers, async (context, { query }) => {
    const { id: organizationId } = context.organization;
    const db = context.store.reads;
    const { rows, next_cursor } = await findCustomers(db, organizationId, {
      cursor: query.cursor,
      limit: query.limit,
      term: query.search === undefined ? null : query.search.trim().toLowerCase(),
    });
    const ids = rows.map((row) => row.customer_id);
    const counts = await licenseCountsOf(db, organizationId, ids);
    return { data: rows.map((row) => showCustomer(row, counts.get(row.customer_id) ?? 0)), next_cursor };
  }),

  bind(contract.createCustomer, async (context, { body }) => {
    const { id: organizationId } = context.organization;
    const { email = null, name = null, discord_id = null } = body;
    checkIdentified({ email, discord_id });
    return context.transaction(async (db) => {
      const id = await customerIdFor(
        db,
        organizationId,
        { email, discordId: discord_id },
        newId,
        context.nowMs,
      );
      const view = {
        organization_id: organizationId,
        customer_id: id,
        email,
        name,
        discord_id,
        created_at: context.nowMs,
        updated_at: context.nowMs,
      };
      if (!(await addCustomerView(db, view))) throw alreadyExists(email, id);
      await audit(db, context, {
        action: "customer.created",
        subject: { kind: "customer", id, name: nameOf(view) },
        after: { email, name, discord_id },
      });
      return showCustomer(view, (await licenseCountsOf(db, organizationId, [id])).get(id) ?? 0);
    });
  }),

  bind(contract.getCustomer, async (context, input) => {
    const db = context.store.reads;
    const row = await findCustomer(db, context, input.params.customer_id);
    const { organization_id: organizationId, customer_id: id } = row;
    const licenses = await statusCountsOf(db, organizationId, id, context.nowMs);
    return {
      ...showCustomer(row, licenses.active + licenses.expired + licenses.revoked),
      licenses,
      last_seen_at: isoTime(await customerLastSeen(db, organizationId, id)),
    };
  }),

  bind(contract.updateCustomer, (context, input) =>
    changeCustomerInSteps(context, input.params.customer_id, input.body),
  ),

  bind(contract.deleteCustomer, async (context, input) => {
    const { id: organizationId } = context.organization;
    const refuseIfUsed = async (db: Database, id: string) => {
      const count = (await licenseCountsOf(db, organizationId, [id])).get(id) ?? 0;
      if (count > 0) throw new Problem("customer_has_licenses", { count });
    };
    // Counting many takes a while, so it is done before the transaction; inside, there is hardly anything to count.
    await refuseIfUsed(
      context.store.reads,
      (await findCustomer(context.store.reads, context, input.params.customer_id)).customer_id,
    );
    return context.transaction(async (db) => {
      await lockedOrganization(db, organizationId);
      const row = await lockedCustomer(db, organizationId, input.params.customer_id);
      if (row === undefined) throw new Problem("customer_not_found");
      await refuseIfUsed(db, row.customer_id);
      await removeIpBlocks(db, { tier: "customer", organizationId, customerId: row.customer_id });
      const { customer_id: id, email, discord_id: discordId } = row;
      await eraseFromTransfers(db, organizationId, { id, email, discordId });
      await removeCustomerView(db, organizationId, row.customer_id);
      // Where nobody else has this customer, the portal forgets them too, and their sessions end.
      await removeUnknownIdentities(db, await removeUnknownCustomers(db, [row.customer_id]));
      await audit(db, context, {
        action: "customer.deleted",
        subject: { kind: "customer", id: row.customer_id, name: nameOf(row) },
        before: { email: row.email, name: row.name, discord_id: row.discord_id },
      });
    });
  }),

  bind(contract.listCustomerLicenses, async (context, input) => {
    const { query } = input;
    if (!context.organizationAccess.permissions.has("licenses:view"))
      throw new Problem("permission_missing", { permission: "licenses:view" });
    const db = context.store.reads;
    const customer = await findCustomer(db, context, input.params.customer_id);
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await licensesOfCustomer(db, customer.organization_id, customer.customer_id, {
      afterId: after === null ? null : String(after[0]),
      limit: query.limit + 1,
    });
    const { email: customer_email, name: customer_name, discord_id: customer_discord_id } = customer;
    return pageOf(
      rows,
      query.limit,
      (row) => [row.id],
      (row) =>
        licenseRecord({ ...row, customer_email, customer_name, customer_discord_id }, true, context.nowMs),
    );
  }),
];

/** Another organization's customer is not found here, even if it is the same person. */
async function findCustomer(
  db: Database,
  context: OrganizationContext,
  customerId: string,
): Promise<OrganizationCustomerRow> {
  const row = await customerOf(db, context.organization.id, customerId);
  if (row === undefined) throw new Problem("customer_not_found");
  return row;
}

function alreadyExists(email: string | null, customerId: string): Problem {
  const field = email === null ? "discord_id" : "email";
  return new Problem("customer_exists", { customer_id: customerId }, { field });
}

/** A page of customers: all of them, or those whose email, name and Discord ID contain every word of a text. */
function findCustomers(
  db: Database,
  organizationId: string,
  page: { readonly cursor: string | undefined; readonly limit: number; readonly term: string | null },
) {
  const { term } = page;
  const searchWords = term?.split(/\s+/) ?? [];
  return searchPage<OrganizationCustomerRow, number>(
    {
      kindOfTime: "number",
      startingWith: (text, after, limit) => customersStartingWith(db, organizationId, text, after, limit),
      newest: (before, limit) => customersOf(db, organizationId, before, limit),
      textOf: (row) => row.search_text,
      timeOf: (row) => row.created_at,
      idOf: (row) => row.customer_id,
      isMeant: (row) => searchWords.every((word) => row.search_text.includes(word)),
    },
    { ...page, isFiltered: false },
  );
}
