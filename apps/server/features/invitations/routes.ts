import { randomBytes } from "node:crypto";
import * as contract from "@countersign/contract/manage/invitations";
import { generateInvitationToken, invitationLifetimeMs } from "@countersign/domain/members/invitation";
import { quotaDay, secondsUntilReset } from "@countersign/domain/quota/day";
import { newId } from "@countersign/store/new-id";
import {
  addInvitation,
  type InvitationWithRole,
  invitationOf,
  invitationsOf,
  isOwnerOrMember,
  openInvitationTo,
  updateInvitation,
} from "@countersign/store/queries/invitations/invitations";
import { countEmails, lockedEmailCount } from "@countersign/store/queries/mail/waiting-emails";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { Context } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { checkSignInEmail } from "../identity/sign-in-email.ts";
import { writeEmail } from "../mail/email.ts";
import { checkPower, lockOrganization, roleNamed } from "../members/lock.ts";
import { checkInvitationLimit } from "../plans/limits.ts";
import { receivedInvitationRoutes } from "./accept.ts";
import { invitationEmail } from "./email.ts";
import { showInvitation, stateOf } from "./show.ts";

/** These emails go to people who did not ask for them, through the operator's mail server. */
const invitationsADay = 200;
const pauseBetweenEmailsMs = 60_000;

export const invitationRoutes: readonly BoundRoute[] = [
  bind(contract.listInvitations, async (context, { query }) => {
    const before = decodeCursor(query.cursor, ["text"]);
    const rows = await invitationsOf(
      context.store.reads,
      context.organization.id,
      {
        beforeId: before === null ? null : String(before[0]),
        limit: query.limit + 1,
        state: query.state ?? null,
      },
      context.nowMs,
    );
    return pageOf(
      rows,
      query.limit,
      (row) => [row.id],
      (row) => showInvitation(row, context.nowMs),
    );
  }),

  bind(contract.createInvitation, async (context, { body }) => {
    const email = body.email.toLowerCase();
    checkSignInEmail("email", email);
    return context.transaction(async (db) => {
      const locked = await lockOrganization(db, context, "members:invite");
      const { organization } = locked;
      const role = await roleNamed(db, organization.id, body.role_id);
      checkPower(locked, { from: null, to: role.permissions });
      await checkInvitable(db, context, organization.id, email);
      await checkInvitationLimit(db, organization, context.nowMs);
      const { token, hash } = generateInvitationToken(randomBytes);
      const { actor } = context;
      const id = newId();
      await addInvitation(db, {
        id,
        organization_id: organization.id,
        email,
        role_id: role.id,
        token_hash: hash,
        invited_by: actor.kind === "person" ? actor.userId : null,
        created_at: context.nowMs,
        expires_at: context.nowMs + invitationLifetimeMs,
        accepted_at: null,
        accepted_by: null,
        revoked_at: null,
        mailed_at: context.nowMs,
      });
      const invitation = await invitationInPath(db, organization.id, id);
      const link = await mail(db, context, organization, invitation, token);
      await audit(db, context, {
        action: "invitation.created",
        subject: { kind: "invitation", id, name: email },
        after: { email, role: role.name, link_shown: link !== null },
      });
      return { ...showInvitation(invitation, context.nowMs), link };
    });
  }),

  bind(contract.resendInvitation, async (context, input) => {
    return context.transaction(async (db) => {
      const locked = await lockOrganization(db, context, "members:invite");
      const { organization } = locked;
      const invitation = await openInvitation(db, context, organization.id, input.params.invitation_id);
      checkPower(locked, { from: null, to: invitation.role_permissions });
      checkPause(context, invitation);
      // One that has expired does not count until it is sent again.
      if (stateOf(invitation, context.nowMs) === "expired")
        await checkInvitationLimit(db, organization, context.nowMs);
      const { token, hash } = generateInvitationToken(randomBytes);
      const expiresAt = context.nowMs + invitationLifetimeMs;
      await updateInvitation(db, invitation.id, {
        token_hash: hash,
        expires_at: expiresAt,
        mailed_at: context.nowMs,
      });
      const renewed = { ...invitation, expires_at: expiresAt };
      const link = await mail(db, context, organization, renewed, token);
      await audit(db, context, {
        action: "invitation.resent",
        subject: { kind: "invitation", id: invitation.id, name: invitation.email },
        after: { link_shown: link !== null },
      });
      return { ...showInvitation(renewed, context.nowMs), link };
    });
  }),

  bind(contract.revokeInvitation, async (context, input) => {
    return context.transaction(async (db) => {
      const locked = await lockOrganization(db, context, "members:invite");
      const id = input.params.invitation_id;
      const invitation = await openInvitation(db, context, locked.organization.id, id);
      checkPower(locked, { from: invitation.role_permissions, to: null });
      await updateInvitation(db, invitation.id, { revoked_at: context.nowMs });
      await audit(db, context, {
        action: "invitation.revoked",
        subject: { kind: "invitation", id: invitation.id, name: invitation.email },
        before: { email: invitation.email, role: invitation.role_name },
      });
    });
  }),

  ...receivedInvitationRoutes,
];

async function checkInvitable(db: Database, context: Context, organizationId: string, email: string) {
  if (await isOwnerOrMember(db, organizationId, email))
    throw new Problem("email_is_member", { email }, { field: "email" });
  const open = await openInvitationTo(db, organizationId, email);
  if (open !== undefined && open.expires_at > context.nowMs)
    throw new Problem("already_invited", { email }, { field: "email" });
  // An expired invitation is replaced by the new one.
  if (open !== undefined) await updateInvitation(db, open.id, { revoked_at: context.nowMs });
}

/**
 * New and resent invitations of this organization, and of all organizations of its owner. Beyond the limit they are
 * rejected and not queued: their links expire.
 */
async function countEmail(
  db: Database,
  { id, owner_id: owner }: OrganizationRow,
  nowMs: number,
): Promise<void> {
  const day = quotaDay(nowMs);
  const byOwner = owner === null ? 0 : await lockedEmailCount(db, owner, "invited", day);
  const used = await lockedEmailCount(db, id, "invited", day);
  if (Math.max(used, byOwner) < invitationsADay) {
    if (owner !== null) await countEmails(db, owner, "invited", 1);
    return countEmails(db, id, "invited", 1);
  }
  const headers = { "retry-after": String(secondsUntilReset(nowMs)) };
  throw new Problem("invitation_limit_reached", { limit: invitationsADay }, { headers });
}

function checkPause(context: Context, invitation: InvitationWithRole): void {
  // Without a mail server nobody can be flooded, and someone who lost the link needs another one now.
  if (context.config.mail === null) return;
  const waitMs = invitation.mailed_at + pauseBetweenEmailsMs - context.nowMs;
  if (waitMs <= 0) return;
  const waitSeconds = Math.ceil(waitMs / 1000);
  const headers = { "retry-after": String(waitSeconds) };
  throw new Problem("invitation_just_sent", { count: waitSeconds }, { headers });
}

async function invitationInPath(db: Database, organizationId: string, id: string) {
  const invitation = await invitationOf(db, organizationId, id);
  if (invitation === undefined) throw new Problem("invitation_not_found");
  return invitation;
}

async function openInvitation(db: Database, context: Context, organizationId: string, id: string) {
  const invitation = await invitationInPath(db, organizationId, id);
  const state = stateOf(invitation, context.nowMs);
  switch (state) {
    case "pending":
    case "expired":
      return invitation;
    case "accepted":
      throw new Problem("invitation_accepted");
    case "revoked":
      throw new Problem("invitation_revoked");
  }
}

/**
 * Writes the email, and returns the link if there is no mail server. An emailed link is shown to nobody else: it proves
 * that its reader has the email address.
 */
async function mail(
  db: Database,
  context: Context,
  organization: OrganizationRow,
  invitation: InvitationWithRole,
  token: string,
): Promise<string | null> {
  await countEmail(db, organization, context.nowMs);
  const url = `${context.config.url}/invitations/${token}`;
  const message = invitationEmail(
    { email: invitation.email, language: organization.locale },
    {
      id: invitation.id,
      organizationName: organization.name,
      roleName: invitation.role_name,
      invitedBy: invitation.invited_by_name,
      expiresAtMs: invitation.expires_at,
      url,
    },
  );
  await writeEmail(db, message, context.nowMs);
  return context.config.mail === null ? url : null;
}
