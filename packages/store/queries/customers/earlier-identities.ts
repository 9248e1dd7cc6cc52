import type { Kysely } from "kysely";
import type { Tables } from "../../tables.ts";
import { knownCustomerId } from "./identify.ts";

/** What told a customer before their record was changed, or merged with another. */
export interface EarlierIdentities {
  readonly ids: readonly string[];
  readonly emails: readonly string[];
  readonly discordIds: readonly string[];
}

/** Of all records together: whoever is changed more often is not a person. */
const maxChanges = 200;

/**
 * From the audit log, as far back as that goes, through every record that was merged into this one. Email addresses and
 * Discord IDs that belong to another customer now are left out.
 */
export async function earlierIdentities(
  db: Kysely<Tables>,
  organizationId: string,
  customerId: string,
): Promise<EarlierIdentities> {
  const ids = new Set([customerId]);
  const [emails, discordIds] = [new Set<string>(), new Set<string>()];
  let left = maxChanges;
  // Those that are added meanwhile come too.
  for (const id of ids) {
    const entries = await db
      .selectFrom("audit_log")
      .select(["before", "after"])
      .where("subject_id", "=", id)
      .where("action", "in", ["customer.created", "customer.updated"])
      .where("organization_id", "=", organizationId)
      .orderBy("at", "desc")
      .limit(left)
      .execute();
    left -= entries.length;
    for (const values of entries.flatMap(({ before, after }) => [parsed(before), parsed(after)])) {
      if (values.id != null) ids.add(values.id);
      if (values.email != null) emails.add(values.email);
      if (values.discord_id != null) discordIds.add(values.discord_id);
    }
    if (left <= 0) break;
  }
  ids.delete(customerId);
  const isFree = async (who: { readonly email: string | null; readonly discordId: string | null }) => {
    const known = await knownCustomerId(db, organizationId, who);
    return known === null || known === customerId;
  };
  return {
    ids: [...ids],
    emails: await among([...emails], (email) => isFree({ email, discordId: null })),
    discordIds: await among([...discordIds], (discordId) => isFree({ email: null, discordId })),
  };
}

async function among(texts: readonly string[], test: (text: string) => Promise<boolean>): Promise<string[]> {
  const kept: string[] = [];
  for (const text of texts) if (await test(text)) kept.push(text);
  return kept;
}

function parsed(json: string | null): Partial<Record<"id" | "email" | "discord_id", string | null>> {
  return json === null ? {} : JSON.parse(json);
}
