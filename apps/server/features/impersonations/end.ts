import { endImpersonationsOf } from "@countersign/store/queries/impersonations/impersonations";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import type { Context } from "../../api/context.ts";
import { asPlatform, audit, type Change } from "../audit-log/record.ts";

/** Ends all of a user who is no longer a platform admin: they do not continue if the user becomes one again. */
export async function endAllImpersonations(db: Database, context: Context, userId: string): Promise<void> {
  for (const row of await endImpersonationsOf(db, userId)) {
    const organization = await organizationById(db, row.organization_id);
    if (row.expires_at <= context.nowMs || organization === undefined) continue;
    await audit(db, asPlatform(context), ended(row.organization_id, organization.name));
  }
}

/** One that expires has no such entry: the entry about its start says until when. */
export function ended(organizationId: string, name: string): Change {
  return {
    action: "organization.impersonation_ended",
    subject: { kind: "organization", id: organizationId, name },
    organizationId,
  };
}
