import * as contract from "@countersign/contract/manage/organizations";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs } from "@countersign/domain/dates/lengths";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { allPlans } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import {
  type BoundRoute,
  bind,
  type MemberContext,
  nextUpdatedAt,
  type UserOrTokenContext,
} from "../../api/context.ts";
import { invalid } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { recipientById, writeEmail } from "../mail/email.ts";
import { lockAsOwner } from "../members/lock.ts";
import { deletionCancelledEmail, deletionRequestedEmail } from "./emails.ts";
import { showOwnOrganization } from "./show.ts";

/** How long a deletion can be cancelled. */
const deletionGraceMs = 14 * dayMs;

export const deletionRoutes: readonly BoundRoute[] = [
  bind(contract.deleteOrganization, async (context, { body }) => {
    return context.transaction(async (db) => {
      const organization = await lockAsOwner(db, context);
      if (body.confirm !== organization.slug)
        throw invalid("confirm", "not_the_slug", { slug: organization.slug });
      // A second request does not restart the grace period.
      const deleteAfter = organization.delete_after ?? context.nowMs + deletionGraceMs;
      return setDeleteAfter(db, context, organization, deleteAfter, "organization.deletion_requested");
    });
  }),

  bind(contract.restoreOrganization, async (context) => {
    return context.transaction(async (db) => {
      const organization = await lockAsOwner(db, context);
      return setDeleteAfter(db, context, organization, null, "organization.restored");
    });
  }),
];

async function setDeleteAfter(
  db: Database,
  context: MemberContext,
  organization: OrganizationRow,
  deleteAfter: number | null,
  action: string,
) {
  const { organizationAccess } = context;
  const plans = await allPlans(db);
  if (organization.delete_after === deleteAfter)
    return showOwnOrganization(organization, organizationAccess, plans);
  const changes = {
    delete_after: deleteAfter,
    updated_at: nextUpdatedAt(context, organization.updated_at),
  };
  await updateOrganization(db, organization.id, changes);
  await audit(db, context, {
    action,
    subject: { kind: "organization", id: organization.id, name: organization.name },
    before: { delete_after: isoTime(organization.delete_after) },
    after: { delete_after: isoTime(deleteAfter) },
  });
  await notifyOwner(db, context, organization, deleteAfter);
  return showOwnOrganization({ ...organization, ...changes }, organizationAccess, plans);
}

/** Also if the owner requested it: it may have been someone else with their session or token. */
async function notifyOwner(
  db: Database,
  context: UserOrTokenContext,
  organization: OrganizationRow,
  deleteAfterMs: number | null,
): Promise<void> {
  const owner = await recipientById(db, organization.owner_id);
  if (owner === undefined) return;
  const by = context.actor.name;
  const message =
    deleteAfterMs === null
      ? deletionCancelledEmail(owner, organization.name, by)
      : deletionRequestedEmail(owner, {
          organization: organization.name,
          by,
          deleteAfterMs,
          url: context.config.url,
        });
  await writeEmail(db, message, context.nowMs);
}
