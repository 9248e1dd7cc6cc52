import { newId } from "@countersign/store/new-id";
import {
  countIdentities,
  giveIdentity,
  identityRow,
  lockForAddition,
  type ProvenIdentity,
  removeIfUnidentified,
} from "@countersign/store/queries/portal/people";
import type { Database } from "@countersign/store/store";
import type { CustomerActor } from "../../api/actor.ts";
import { requireSession } from "../../api/customer-access.ts";
import { Problem } from "../../http/problem.ts";
import { cancelLostTransfers } from "../transfers/end.ts";

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
  context: Parameters<typeof cancelLostTransfers>[1],
  { personId, sessionId }: CustomerActor,
  proven: ProvenIdentity,
): Promise<void> {
  await lockForAddition(db, personId, proven);
  await requireSession(db, personId, sessionId);
  const formerId = (await identityRow(db, proven))?.person_id;
  if (formerId !== personId && (await countIdentities(db, personId)) >= mostIdentities)
    throw new IdentityLimitReached();
  await giveIdentity(db, personId, proven, newId, context.nowMs);
  if (formerId === undefined || formerId === personId) return;
  await cancelLostTransfers(db, context, formerId);
  await removeIfUnidentified(db, [formerId]);
}
