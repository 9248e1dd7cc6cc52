import type { listPortalSessions, me } from "@countersign/contract/portal/me";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { browserName } from "@countersign/domain/user-agent/parse";
import { newId } from "@countersign/store/new-id";
import {
  countIdentities,
  giveIdentity,
  identityRow,
  lockForAddition,
  type ProvenIdentity,
  portalIdentitiesOf,
  portalPerson,
  removeIfUnidentified,
} from "@countersign/store/queries/portal/people";
import type { Database } from "@countersign/store/store";
import type { PortalSessionRow } from "@countersign/store/tables/portal";
import type { z } from "zod";
import type { CustomerActor } from "../../api/actor.ts";
import { requireSession } from "../../api/customer-access.ts";
import { Problem } from "../../http/problem.ts";
import { cancelLostTransfers } from "../transfers/end.ts";

/** More than anyone has; what belongs to a person is looked up by all of them. */
export const maxIdentities = 10;

export class IdentityLimitReached extends Problem<"identity_limit_reached"> {
  constructor() {
    super("identity_limit_reached", { limit: maxIdentities });
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
  if (formerId !== personId && (await countIdentities(db, personId)) >= maxIdentities)
    throw new IdentityLimitReached();
  await giveIdentity(db, personId, proven, newId, context.nowMs);
  if (formerId === undefined || formerId === personId) return;
  await cancelLostTransfers(db, context, formerId);
  await removeIfUnidentified(db, [formerId]);
}

export async function showPortalMe(
  db: Database,
  session: Pick<PortalSessionRow, "person_id" | "signed_in_by" | "expires_at">,
): Promise<z.input<typeof me>> {
  const person = await portalPerson(db, session.person_id);
  if (person === undefined) throw new Problem("sign_in_required");
  const identities = await portalIdentitiesOf(db, person.id);
  return {
    identities: identities.map(({ id, kind, value, name, verified_at: verifiedAt }) => ({
      id,
      kind,
      value,
      name,
      verified_at: isoTime(verifiedAt),
    })),
    signed_in_by: session.signed_in_by,
    locale: person.locale,
    session_expires_at: isoTime(session.expires_at),
  };
}

type ShownSession = z.input<(typeof listPortalSessions)["answer"]>["data"][number];

export function showPortalSession(row: PortalSessionRow, currentId: string): ShownSession {
  return {
    id: row.id,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    expires_at: isoTime(row.expires_at),
    ip: row.ip,
    browser: browserName(row.user_agent ?? "") || null,
    is_current: row.id === currentId,
  };
}
