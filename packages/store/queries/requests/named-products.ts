import type { Database } from "../../store.ts";
import { unindexed } from "../unindexed.ts";

/** The names of products of an organization, deleted ones included. */
export async function namedProducts(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("products")
    .select(["id", "name"])
    .where("id", "in", ids)
    .where(unindexed("organization_id"), "=", organizationId)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
