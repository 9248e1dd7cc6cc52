import * as contract from "@countersign/contract/manage/admin-organizations";
import {
  allOrganizations,
  countIn,
  type OrganizationWithOwner,
  organizationsStartingWith,
  organizationWithOwner,
} from "@countersign/store/queries/admin/platform";
import { everyLicenseOf } from "@countersign/store/queries/licenses/filter";
import { storedCount } from "@countersign/store/queries/licenses/stored-counts";
import { lockedOrganization } from "@countersign/store/queries/manage/access";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { allPlans } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow, PlanRow } from "@countersign/store/tables";
import { type BoundRoute, bind, param } from "../../http/manage/bind.ts";
import { asColumns } from "../../http/manage/columns.ts";
import { checkUnchanged, nextUpdatedAt } from "../../http/manage/context.ts";
import { Problem } from "../../http/manage/problem.ts";
import { termsChanged } from "../events/quota-check.ts";
import { showOrganization } from "../organizations/show.ts";
import {
  changeSuspendable,
  listSuspendable,
  noSuspension,
  type SuspendableKind,
  suspension,
} from "./suspendable.ts";

const most = 100_000;

export const platformOrganizationRoutes: readonly BoundRoute[] = [
  bind(contract.listPlatformOrganizations, async (context, { query }) => {
    const db = context.store.reads;
    const { rows, next_cursor } = await listSuspendable<OrganizationWithOwner>(
      query,
      {
        kindOfTime: "number",
        startingWith: (text, after, limit) => organizationsStartingWith(db, text, after, limit),
        newest: (after, limit) => allOrganizations(db, { after, limit }),
        textOf: (row) => row.slug,
        textsOf: (row) => [row.name, row.slug, row.owner_email],
      },
      [
        { wanted: query.plan, of: (row) => row.plan },
        { wanted: query.billing_state, of: (row) => row.billing_state },
      ],
    );
    const data = [];
    const plans = await allPlans(db);
    for (const row of rows) data.push({ ...showWithOwner(row, plans), ...(await counts(db, row.id)) });
    return { data, next_cursor };
  }),

  bind(contract.getPlatformOrganization, async (context, input) =>
    details(context.store.reads, param(input, "organization_id")),
  ),

  bind(contract.updatePlatformOrganization, async (context, input) => {
    const { updated_at: guard, ...body } = input.body;
    const id = param(input, "organization_id");
    return changeSuspendable(context, organization, id, "organization.terms_changed", (row) => {
      checkUnchanged(context, row.updated_at, guard);
      return asColumns(body);
    });
  }),

  bind(contract.suspendPlatformOrganization, async (context, input) => {
    const id = param(input, "organization_id");
    return changeSuspendable(context, organization, id, "organization.suspended", (row) =>
      suspension(row, context, input.body.reason),
    );
  }),

  bind(contract.restorePlatformOrganization, async (context, input) => {
    const id = param(input, "organization_id");
    return changeSuspendable(context, organization, id, "organization.restored", () => noSuspension);
  }),
];

const organization: SuspendableKind<OrganizationRow, Awaited<ReturnType<typeof details>>> = {
  kind: "organization",
  missing: () => new Problem("organization_not_found"),
  lock: lockedOrganization,
  write: async (db, context, row, changes) => {
    const updatedAt = nextUpdatedAt(context, row.updated_at);
    await updateOrganization(db, row.id, { ...changes, updated_at: updatedAt });
    await termsChanged(db, row.id, row, { ...row, ...changes }, context.nowMs);
  },
  details,
};

async function details(db: Database, id: string) {
  const row = await organizationWithOwner(db, id);
  if (row === undefined) throw new Problem("organization_not_found");
  return {
    ...showWithOwner(row, await allPlans(db)),
    ...(await counts(db, id)),
    member_count: await countIn(db, "members", id, most),
    waiting_email_count: await countIn(db, "waiting_emails", id, most),
  };
}

function showWithOwner(row: OrganizationWithOwner, plans: readonly PlanRow[]) {
  const { owner_id: id, owner_name: name, owner_email: email } = row;
  const owner = id === null || name === null || email === null ? null : { id, name, email };
  return { ...showOrganization(row, plans), owner };
}

async function counts(db: Database, id: string) {
  return {
    product_count: await countIn(db, "products", id, most),
    license_count: await storedCount(db, everyLicenseOf(id), 0),
  };
}
