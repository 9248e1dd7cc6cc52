import { firstUuidAt } from "@countersign/domain/ids/uuid";
import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables.ts";

/**
 * The log has no index by product, which each request would have to update: instead, this many of the newest rows are
 * read.
 */
const mostRead = 2_000;

/** The newest validate request of a product since then, if it is among the newest of the server. */
export async function lastValidation(
  db: Database,
  productId: string,
  sinceMs: number,
): Promise<RequestLogRow | undefined> {
  return db
    .selectFrom((from) =>
      from
        .selectFrom("request_log")
        .selectAll()
        .where("id", ">=", firstUuidAt(sinceMs))
        .orderBy("id", "desc")
        .limit(mostRead)
        .as("newest"),
    )
    .selectAll()
    .where("product_id", "=", productId)
    .where("endpoint", "=", "validate")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}
