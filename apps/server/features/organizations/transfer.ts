import * as contract from "@countersign/contract/manage/organizations";
import { organizationAllowance } from "@countersign/domain/organizations/sign-up";
import type { Plan } from "@countersign/domain/quota/limit";
import { addMember, memberOf, removeMember } from "@countersign/store/queries/members/members";
import { lockedAllowance, updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { allPlans } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import { permissionSet } from "../../api/access.ts";
import { accessOf } from "../../api/actor.ts";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { type Context, nextUpdatedAt } from "../../api/context.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { recipientById, writeEmail } from "../mail/email.ts";
import { lockAsOwner, roleNamed } from "../members/lock.ts";
import { ownerJoinedAt } from "../members/show.ts";
import { platformSettings } from "../settings/platform-settings.ts";
import { ownershipReceivedEmail, ownershipTransferredEmail } from "./emails.ts";
import { showOwnOrganization } from "./show.ts";

/** The owner and a member swap in one transaction: there is always exactly one owner. */
export const transferRoute: BoundRoute = bind(contract.transferOwnership, async (context, { body }) => {
  const { actor } = context;
  return context.transaction(async (db) => {
    const organization = await lockAsOwner(db, context);
    const organizationId = organization.id;
    const heir = await memberOf(db, organizationId, body.user_id);
    if (heir === undefined) throw invalid("user_id", "not_a_member");
    if (heir.suspended_at !== null) throw new Problem("new_owner_suspended");
    const role = await roleNamed(db, organizationId, body.role_id);
    await checkAllowance(db, context, heir.user_id, "new_owner");
    const changes = {
      owner_id: heir.user_id,
      owner_joined_at: heir.created_at,
      updated_at: nextUpdatedAt(context, organization.updated_at),
    };
    await removeMember(db, organizationId, heir.user_id);
    const formerOwner = { organizationId, userId: actor.userId, roleId: role.id };
    await addMember(db, formerOwner, ownerJoinedAt(organization));
    await updateOrganization(db, organizationId, changes);
    await audit(db, context, {
      action: "organization.ownership_transferred",
      subject: { kind: "organization", id: organizationId, name: organization.name },
      before: { owner_id: actor.userId, owner_name: actor.name },
      after: { owner_id: heir.user_id, owner_name: heir.name, former_owner_role: role.name },
    });
    const { name } = organization;
    const received = await recipientById(db, heir.user_id);
    const handedOver = await recipientById(db, actor.userId);
    const { url } = context.config;
    if (received !== undefined)
      await writeEmail(db, ownershipReceivedEmail(received, name, actor.name, url), context.nowMs);
    const facts = { organization: name, heir: heir.name, role: role.name };
    if (handedOver !== undefined)
      await writeEmail(db, ownershipTransferredEmail(handedOver, facts), context.nowMs);
    const changed = { ...organization, ...changes };
    const organizationAccess = accessOf(actor, changed, permissionSet(role.permissions));
    return showOwnOrganization(
      changed,
      organizationAccess ?? { isOwner: false, permissions: new Set() },
      await allPlans(db),
    );
  });
});

/**
 * Rejects more organizations than a person can own. Two organizations that a person gains at the same time are counted
 * one after the other.
 */
export async function checkAllowance(
  db: Database,
  { config }: Context,
  userId: string,
  as: "creator" | "new_owner",
): Promise<void> {
  const { count, ...owner } = await lockedAllowance(db, userId);
  const { default_plan: defaultPlan, sign_up: signUp } = await platformSettings(db, config);
  const plans = await allPlans(db);
  const perUser = Object.fromEntries(plans.map((plan) => [plan.id, plan.organizations_per_user])) as Record<
    Plan,
    number | null
  >;
  const allowance = organizationAllowance({ ...owner, perUser, defaultPlan, signUp });
  if (allowance === null || count < allowance) return;
  if (as === "creator") throw new Problem("organization_limit_reached", { count });
  throw new Problem("new_owner_organization_limit_reached", { count });
}
