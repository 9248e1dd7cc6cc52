import * as contract from "@countersign/contract/manage/admin-organizations";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { hourMs } from "@countersign/domain/dates/lengths";
import { newId } from "@countersign/store/new-id";
import { lockedUser } from "@countersign/store/queries/admin/users";
import * as impersonations from "@countersign/store/queries/impersonations/impersonations";
import { memberPermissions } from "@countersign/store/queries/members/members";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { sessionOf } from "../../api/actor.ts";
import { type BoundRoute, bind, type Context, type PersonContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { asPlatform, audit, type Change } from "../audit-log/record.ts";

const lengthMs = hourMs;
/** More than anyone looks at in an hour. */
const maxAtOnce = 20;

export const impersonationRoutes: readonly BoundRoute[] = [
  bind(contract.startImpersonation, async (context, input) => {
    const { actor } = context;
    const organizationId = input.params.organization_id;
    const { reason } = input.body;
    const expiresAtMs = context.nowMs + lengthMs;
    return context.transaction(async (db) => {
      await checkStillAdmin(db, actor.userId);
      const organization = await existing(db, organizationId);
      const isOwner = organization.owner_id === actor.userId;
      if (isOwner || (await memberPermissions(db, organizationId, actor.userId)) !== null)
        throw new Problem("already_member");
      const row = {
        id: newId(),
        session_id: sessionOf(actor),
        user_id: actor.userId,
        organization_id: organizationId,
        reason,
        started_at: context.nowMs,
        expires_at: expiresAtMs,
      };
      if ((await impersonations.countOtherImpersonations(db, row, context.nowMs)) >= maxAtOnce)
        throw new Problem("impersonation_limit_reached", { limit: maxAtOnce });
      await impersonations.startImpersonation(db, row);
      await audit(db, asPlatform(context), {
        action: "organization.impersonation_started",
        subject: { kind: "organization", id: organizationId, name: organization.name },
        after: { reason, until: isoTime(expiresAtMs) },
        organizationId,
      });
      return { organization_id: organizationId, expires_at: isoTime(expiresAtMs) };
    });
  }),

  bind(contract.endImpersonation, async (context, input) => {
    const organizationId = input.params.organization_id;
    const sessionId = sessionOf(context.actor);
    await context.transaction(async (db) => {
      const organization = await existing(db, organizationId);
      const row = await impersonations.endImpersonation(db, sessionId, organizationId);
      if (row === undefined || row.expires_at <= context.nowMs) return;
      await audit(db, asPlatform(context), ended(row.organization_id, organization.name));
    });
  }),
];

/** Until when the caller can look at the organization; null if they cannot. */
export async function impersonatedUntil(
  db: Database,
  context: PersonContext,
  organizationId: string,
): Promise<string | null> {
  const { actor } = context;
  const active = await impersonations.activeImpersonation(
    db,
    sessionOf(actor),
    actor.userId,
    organizationId,
    context.nowMs,
  );
  return isoTime(active?.expires_at ?? null);
}

/** Locks the user's row: an admin who is demoted at the same moment has nothing left that they could use later. */
async function checkStillAdmin(db: Database, userId: string): Promise<void> {
  const user = await lockedUser(db, userId);
  if (user?.is_platform_admin !== 1 || user.suspended_at !== null) throw new Problem("not_found");
}

async function existing(db: Database, id: string): Promise<OrganizationRow> {
  const row = await organizationById(db, id);
  if (row === undefined || row.deleted_at !== null) throw new Problem("organization_not_found");
  return row;
}

/** Ends all of a user who is no longer a platform admin: they do not continue if the user becomes one again. */
export async function endAllImpersonations(db: Database, context: Context, userId: string): Promise<void> {
  for (const row of await impersonations.endImpersonationsOf(db, userId)) {
    const organization = await organizationById(db, row.organization_id);
    if (row.expires_at <= context.nowMs || organization === undefined) continue;
    await audit(db, asPlatform(context), ended(row.organization_id, organization.name));
  }
}

/** One that expires has no such entry: the entry about its start says until when. */
function ended(organizationId: string, name: string): Change {
  return {
    action: "organization.impersonation_ended",
    subject: { kind: "organization", id: organizationId, name },
    organizationId,
  };
}
