import type { Database } from "../../store.ts";
import { idsWithin } from "../index-range.ts";

/** Removes some data of an endpoint; returns whether there was any. */
export async function emptyEndpoint(db: Database, endpointId: string, atMost: number): Promise<boolean> {
  for (const table of ["delivery_attempts", "deliveries"] as const) {
    const rows = await db
      .selectFrom(table)
      .select("id")
      .where(idsWithin({ endpoint_id: endpointId }))
      .orderBy("endpoint_id")
      .orderBy("id")
      .limit(atMost)
      .execute();
    if (rows.length === 0) continue;
    const ids = rows.map((row) => row.id);
    await db.deleteFrom(table).where("id", "in", ids).execute();
    return true;
  }
  const { numDeletedRows } = await db
    .deleteFrom("webhook_secrets")
    .where("endpoint_id", "=", endpointId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
