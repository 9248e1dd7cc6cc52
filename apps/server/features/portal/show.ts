import type { listPortalSessions, me } from "@countersign/contract/portal/me";
import { browserName } from "@countersign/domain/user-agent/parse";
import { portalPerson } from "@countersign/store/queries/portal/people";
import { portalIdentitiesOf } from "@countersign/store/queries/portal/sessions";
import type { Database } from "@countersign/store/store";
import type { PortalSessionRow } from "@countersign/store/tables/portal";
import type { z } from "zod";
import { iso } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";

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
      verified_at: iso(verifiedAt),
    })),
    signed_in_by: session.signed_in_by,
    locale: person.locale,
    session_expires_at: iso(session.expires_at),
  };
}

type ShownSession = z.input<(typeof listPortalSessions)["answer"]>["data"][number];

export function showPortalSession(row: PortalSessionRow, currentId: string): ShownSession {
  return {
    id: row.id,
    created_at: iso(row.created_at),
    last_used_at: iso(row.last_used_at),
    expires_at: iso(row.expires_at),
    ip: row.ip,
    browser: browserName(row.user_agent ?? "") || null,
    is_current: row.id === currentId,
  };
}
