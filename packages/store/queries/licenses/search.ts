import { searchText } from "@countersign/domain/licenses/search-text";
import { sql } from "kysely";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";

/** Contains exactly this text: pattern characters are literal. Both texts are in lower case. */
export function containing(column: string, text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/** Rewrites the search texts of all licenses of a customer in one organization. */
export async function refreshSearchText(
  db: Database,
  organizationId: string,
  customerId: string,
): Promise<void> {
  for (let after = ""; ; ) {
    const rows = await db
      .selectFrom("licenses")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("customer_id", "=", customerId)
      .where("id", ">", after)
      .orderBy("id")
      .limit(licensesAtOnce)
      .execute();
    await refreshSearchTextOf(
      db,
      rows.map((row) => row.id),
    );
    if (rows.length < licensesAtOnce) return;
    after = rows.at(-1)?.id ?? "";
  }
}

/**
 * Some licenses of a customer, in the order of their IDs, and those among them whose text is outdated if the customer
 * has these names.
 */
export async function staleTexts(
  db: Database,
  organizationId: string,
  customerId: string,
  { email, name, discordId }: CustomerNames,
  after: string,
): Promise<{ last: string | null; stale: string[] }> {
  const rows = await db
    .selectFrom("licenses")
    .select(["id", "license_key", "notes", "search_text"])
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .where("id", ">", after)
    .orderBy("id")
    .limit(textsAtOnce)
    .execute();
  const tags = await tagsOf(
    db,
    rows.map((row) => row.id),
  );
  const stale = rows.filter(({ id, license_key: key, notes, search_text: text }) => {
    return text !== searchText({ key, email, name, discordId, notes, tags: tags.get(id) ?? [] });
  });
  return {
    last: rows.length < textsAtOnce ? null : (rows.at(-1)?.id ?? null),
    stale: stale.map((row) => row.id),
  };
}

export interface CustomerNames {
  readonly email: string | null;
  readonly name: string | null;
  readonly discordId: string | null;
}

/** Each can be as long as notes can be, and the text index processes them one after the other. */
const textsAtOnce = 100;

/** The same for some licenses, after their key, customer, notes or tags changed. */
export async function refreshSearchTextOf(
  db: Database,
  licenseIds: readonly string[],
  knownBy?: CustomerNames,
): Promise<void> {
  if (licenseIds.length === 0) return;
  const rows = await textsOf(db, licenseIds);
  const tags = await tagsOf(db, licenseIds);
  for (const {
    id,
    license_key: key,
    notes,
    search_text: before,
    email,
    name,
    discord_id: discordId,
  } of rows) {
    const names = knownBy ?? { email, name, discordId };
    const text = searchText({ key, ...names, notes, tags: tags.get(id) ?? [] });
    if (text === before) continue;
    await writeText(db, id, text);
  }
}

const textsOf = prepared((db, ids: readonly string[]) =>
  db
    .selectFrom("licenses as l")
    .leftJoin("organization_customers as c", (join) =>
      join.onRef("c.organization_id", "=", "l.organization_id").onRef("c.customer_id", "=", "l.customer_id"),
    )
    .select(["l.id", "l.license_key", "l.notes", "l.search_text", "c.email", "c.name", "c.discord_id"])
    .where("l.id", "in", ids)
    .orderBy("l.id"),
).all;

const writeText = prepared((db, id: string, text: string) =>
  db.updateTable("licenses").set({ search_text: text }).where("id", "=", id),
).run;

export async function tagsOf(
  db: Database,
  licenseIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (licenseIds.length === 0) return new Map();
  const rows = await tagRowsOf(db, licenseIds);
  const tags = new Map<string, string[]>();
  for (const row of rows) tags.set(row.license_id, [...(tags.get(row.license_id) ?? []), row.tag]);
  return tags;
}

const tagRowsOf = prepared((db, ids: readonly string[]) =>
  db
    .selectFrom("license_tags")
    .select(["license_id", "tag"])
    .where("license_id", "in", ids)
    .orderBy("license_id")
    .orderBy("tag"),
).all;

const licensesAtOnce = 500;
