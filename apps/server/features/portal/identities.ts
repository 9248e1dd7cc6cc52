import { newId } from "@countersign/store/new-id";
import {
  countIdentities,
  giveIdentity,
  identityRow,
  lockForAddition,
  type ProvenIdentity,
} from "@countersign/store/queries/portal/people";
import type { Database } from "@countersign/store/store";
import type { CustomerActor } from "../../http/manage/actor.ts";
import { requireSession } from "../../http/manage/customer-access.ts";
import { Problem } from "../../http/manage/problem.ts";

/** More than anyone has; what belongs to a person is looked up by all of them. */
export const mostIdentities = 10;

export class IdentityLimitReached extends Problem<"identity_limit_reached"> {
  constructor() {
    super("identity_limit_reached", { limit: mostIdentities });
  }
}

/** Gives a signed-in person what they have just proven. */
export async function addIdentity(
  db: Database,
  { personId, sessionId }: CustomerActor,
  proven: ProvenIdentity,
  nowMs: number,
): Promise<void> {
  await lockForAddition(db, personId, proven);
  await requireSession(db, personId, sessionId);
  const isTheirs = (await identityRow(db, proven))?.person_id === personId;
  if (!isTheirs && (await countIdentities(db, personId)) >= mostIdentities) throw new IdentityLimitReached();
  await giveIdentity(db, personId, proven, newId, nowMs);
}
