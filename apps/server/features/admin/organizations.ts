import * as contract from "@countersign/contract/manage/admin-organizations";
import { lockedOrganization } from "@countersign/store/queries/access";
import { keptCount } from "@countersign/store/queries/license-counts";
import { everyLicenseOf } from "@countersign/store/queries/license-filter";
import { updateOrganization } from "@countersign/store/queries/organizations";
import {
  allOrganizations,
  countIn,
  type OrganizationWithOwner,
  organizationsStartingWith,
  organizationWithOwner,
} from "@countersign/store/queries/platform";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables";
import { type BoundRoute, bind, param } from "../../http/manage/bind.ts";
import { asColumns } from "../../http/manage/columns.ts";
import { type Context, checkUnchanged, nextUpdatedAt } from "../../http/manage/context.ts";
import { Problem } from "../../http/manage/problem.ts";
import { holds, searchPage } from "../../http/manage/search.ts";
import { asPlatform, audit, difference } from "../audit-log/record.ts";
import { termsChanged } from "../events/quota-watch.ts";
import { showOrganization } from "../organizations/show.ts";

const most = 100_000;

export const platformOrganizationRoutes: readonly BoundRoute[] = [
  bind(contract.listPlatformOrganizations, async (context, { query }) => {
    const db = context.store.reads;
    const { plan, billing_state: billing, suspended } = query;
    const term = query.q === undefined || query.q === "" ? null : query.q.toLowerCase();
    const isMeant = (row: OrganizationWithOwner) =>
      (plan === undefined || plan === row.plan) &&
      (billing === undefined || billing === row.billing_state) &&
      (suspended === undefined || suspended === (row.suspended_at !== null)) &&
      (term === null || holds([row.name, row.slug, row.owner_email], term) || row.id === term);
    const { rows, next_cursor } = await searchPage<OrganizationWithOwner, number>(
      {
        kindOfTime: "number",
        startingWith: (text, after, limit) => organizationsStartingWith(db, text, after, limit),
        newest: (after, limit) => allOrganizations(db, { after, limit }),
        textOf: (row) => row.slug,
        timeOf: (row) => row.created_at,
        idOf: (row) => row.id,
        isMeant,
      },
      {
        term,
        isFiltered: [plan, billing, suspended].some((value) => value !== undefined),
        cursor: query.cursor,
        limit: query.limit,
      },
    );
    const data = [];
    for (const row of rows) data.push({ ...showWithOwner(row), ...(await counts(db, row.id)) });
    return { data, next_cursor };
  }),

  bind(contract.getPlatformOrganization, async (context, input) =>
    details(context.store.reads, param(input, "organization_id")),
  ),

  bind(contract.updatePlatformOrganization, async (context, input) => {
    const { updated_at: guard, ...body } = input.body;
    return change(context, param(input, "organization_id"), "organization.terms_changed", (row) => {
      checkUnchanged(context, row.updated_at, guard);
      return asColumns(body);
    });
  }),

  bind(contract.suspendPlatformOrganization, async (context, input) =>
    change(context, param(input, "organization_id"), "organization.suspended", (row) => ({
      suspended_at: row.suspended_at ?? context.nowMs,
      suspension_reason: input.body.reason,
    })),
  ),

  bind(contract.restorePlatformOrganization, async (context, input) =>
    change(context, param(input, "organization_id"), "organization.restored", () => ({
      suspended_at: null,
      suspension_reason: null,
    })),
  ),
];

/** Applies what `changesOf` returns and records it in the organization's own log; does nothing if nothing changes. */
async function change(
  context: Context,
  id: string,
  action: string,
  changesOf: (row: OrganizationRow) => Partial<OrganizationRow>,
) {
  return context.transaction(async (db) => {
    const row = await lockedOrganization(db, id);
    if (row === undefined) throw new Problem("organization_not_found");
    const changes = changesOf(row);
    const changed = difference(row, changes);
    if (Object.keys(changed.after).length > 0) {
      await updateOrganization(db, id, { ...changes, updated_at: nextUpdatedAt(context, row.updated_at) });
      await termsChanged(db, id, row, { ...row, ...changes }, context.nowMs);
      await audit(db, asPlatform(context), {
        action,
        subject: { kind: "organization", id, name: row.name },
        ...changed,
        organizationId: id,
      });
    }
    return details(db, id);
  });
}

async function details(db: Database, id: string) {
  const row = await organizationWithOwner(db, id);
  if (row === undefined) throw new Problem("organization_not_found");
  return {
    ...showWithOwner(row),
    ...(await counts(db, id)),
    member_count: await countIn(db, "members", id, most),
    waiting_letter_count: await countIn(db, "waiting_letters", id, most),
  };
}

function showWithOwner(row: OrganizationWithOwner) {
  const { owner_id: id, owner_name: name, owner_email: email } = row;
  const owner = id === null || name === null || email === null ? null : { id, name, email };
  return { ...showOrganization(row), owner };
}

async function counts(db: Database, id: string) {
  return {
    product_count: await countIn(db, "products", id, most),
    license_count: await keptCount(db, everyLicenseOf(id), 0),
  };
}
