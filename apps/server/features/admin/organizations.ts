import * as contract from "@countersign/contract/manage/admin-organizations";
import { lockedOrganization } from "@countersign/store/queries/access";
import { updateOrganization } from "@countersign/store/queries/organizations";
import {
  allOrganizations,
  countIn,
  type OrganizationWithOwner,
  organizationWithOwner,
} from "@countersign/store/queries/platform";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables";
import { type BoundRoute, bind, param } from "../../http/manage/bind.ts";
import { asColumns } from "../../http/manage/columns.ts";
import { type Context, checkUnchanged, nextUpdatedAt } from "../../http/manage/context.ts";
import { decodeCursor, pageOf } from "../../http/manage/page.ts";
import { notFound } from "../../http/manage/problem.ts";
import { asPlatform, audit, difference } from "../audit-log/record.ts";
import { showOrganization } from "../organizations/show.ts";

const countedInList = 1_000;
const countedAlone = 100_000;

export const platformOrganizationRoutes: readonly BoundRoute[] = [
  bind(contract.listPlatformOrganizations, async (context, { query }) => {
    const db = context.store.reads;
    const after = decodeCursor(query.cursor, 2);
    const filter = {
      search: query.q === undefined || query.q === "" ? null : query.q,
      plan: query.plan ?? null,
      billingState: query.billing_state ?? null,
      suspended: query.suspended ?? null,
    };
    const rows = await allOrganizations(db, filter, {
      after: after === null ? null : { createdAt: Number(after[0]), id: String(after[1]) },
      limit: query.limit + 1,
    });
    const counted = new Map<string, Awaited<ReturnType<typeof counts>>>();
    for (const { id } of rows) counted.set(id, await counts(db, id, countedInList));
    return pageOf(
      rows,
      query.limit,
      (row) => [row.created_at, row.id],
      (row) => ({
        ...showWithOwner(row),
        ...(counted.get(row.id) ?? { product_count: 0, license_count: 0 }),
      }),
    );
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

/** Changes what `changesOf` says and writes it into the organization's own log; does nothing where all is so already. */
async function change(
  context: Context,
  id: string,
  action: string,
  changesOf: (row: OrganizationRow) => Partial<OrganizationRow>,
) {
  return context.transaction(async (db) => {
    const row = await lockedOrganization(db, id);
    if (row === undefined) throw notFound("organization");
    const changes = changesOf(row);
    const changed = difference(row, changes);
    if (Object.keys(changed.after).length > 0) {
      await updateOrganization(db, id, { ...changes, updated_at: nextUpdatedAt(context, row.updated_at) });
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
  if (row === undefined) throw notFound("organization");
  return {
    ...showWithOwner(row),
    ...(await counts(db, id, countedAlone)),
    member_count: await countIn(db, "members", id, countedAlone),
  };
}

function showWithOwner(row: OrganizationWithOwner) {
  const { owner_id: id, owner_name: name, owner_email: email } = row;
  const owner = id === null || name === null || email === null ? null : { id, name, email };
  return { ...showOrganization(row), owner };
}

async function counts(db: Database, id: string, most: number) {
  return {
    product_count: await countIn(db, "products", id, most),
    license_count: await countIn(db, "licenses", id, most),
  };
}
