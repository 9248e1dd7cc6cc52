import { existingDays } from "../../request-log/days.ts";
import { dayOf, logOf } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables.ts";

/**
 * The log has no index by product, which each request would have to update: instead, this many of the newest rows of a
 * day are read.
 */
const mostRead = 2_000;

/** The newest validate request of a product since then, if it is among the newest of the server. */
export async function lastValidation(
  db: Database,
  productId: string,
  sinceMs: number,
): Promise<RequestLogRow | undefined> {
  const days = (await existingDays(db)).filter((day) => day >= dayOf(sinceMs));
  for (const day of days) {
    const last = await db
      .selectFrom((from) =>
        from
          .selectFrom(logOf(day))
          .selectAll()
          .where("at", ">=", sinceMs)
          .orderBy("at", "desc")
          .orderBy("id", "desc")
          .limit(mostRead)
          .as("newest"),
      )
      .selectAll()
      .where("product_id", "=", productId)
      .where("endpoint", "=", "validate")
      .orderBy("at", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    if (last !== undefined) return last;
  }
  return undefined;
}
