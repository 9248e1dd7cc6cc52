import * as contract from "@countersign/contract/manage/organizations";
import { addMember, memberOf, removeMember } from "@countersign/store/queries/members";
import { updateOrganization } from "@countersign/store/queries/organizations";
import { permissionSet } from "../../http/manage/access.ts";
import { standingOf } from "../../http/manage/actor.ts";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { nextUpdatedAt, thePerson } from "../../http/manage/context.ts";
import { invalid, Problem } from "../../http/manage/problem.ts";
import { audit } from "../audit-log/record.ts";
import { writeLetter } from "../mail/letter.ts";
import { readerById } from "../mail/reader.ts";
import { roleNamed } from "../members/power.ts";
import { ownerJoinedAt } from "../members/show.ts";
import { takeOwnersTurn } from "../members/turn.ts";
import { checkAllowance } from "./allowance.ts";
import { ownershipHandedOverLetter, ownershipReceivedLetter } from "./letters.ts";
import { showOwnOrganization } from "./show.ts";

/** The owner and a member swap in one transaction: there is always exactly one owner. */
export const transferRoute: BoundRoute = bind(contract.transferOwnership, async (context, { body }) => {
  const actor = thePerson(context);
  return context.transaction(async (db) => {
    const organization = await takeOwnersTurn(db, context);
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
    const received = await readerById(db, heir.user_id);
    const handedOver = await readerById(db, actor.userId);
    const { url } = context.config;
    if (received !== undefined)
      await writeLetter(db, ownershipReceivedLetter(received, name, actor.name, url), context.nowMs);
    const facts = { organization: name, heir: heir.name, role: role.name };
    if (handedOver !== undefined)
      await writeLetter(db, ownershipHandedOverLetter(handedOver, facts), context.nowMs);
    const changed = { ...organization, ...changes };
    const standing = standingOf(actor, changed, permissionSet(role.permissions));
    return showOwnOrganization(changed, standing ?? { isOwner: false, permissions: new Set() });
  });
});
