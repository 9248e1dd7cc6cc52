import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { sql } from "kysely";
import type { Database } from "../store.ts";
import type { DeliveryAttemptRow, DeliveryRow } from "../tables.ts";
import { idsWithin } from "./index-range.ts";

/** When what is counted was created; ids sort by it. Null where there is no bound. */
export interface Span {
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
}

function idRange({ fromMs, beforeMs }: Span) {
  return {
    from: fromMs === null ? null : firstUuidAt(fromMs),
    before: [beforeMs === null ? null : firstUuidAt(beforeMs)],
  };
}

/**
 * How many deliveries have a state, from an index alone. They are asked for in its order: PostgreSQL might take the index
 * without the state otherwise, and read all rows of the endpoint. SQLite leaves the order out.
 */
export async function countDeliveries(
  db: Database,
  endpointId: string,
  state: DeliveryRow["state"],
  span: Span,
): Promise<number> {
  const inOrder = db
    .selectFrom("deliveries")
    .select("id")
    .where(idsWithin({ endpoint_id: endpointId, state }, idRange(span)))
    .orderBy("endpoint_id")
    .orderBy("state")
    .orderBy("id");
  const { count } = await db
    .selectFrom(inOrder.as("ids"))
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many attempts there were, and how many of them succeeded, from an index alone. */
export async function countAttempts(
  db: Database,
  endpointId: string,
  span: Span,
): Promise<{ attempts: number; succeeded: number }> {
  const { attempts, succeeded } = await db
    .selectFrom("delivery_attempts")
    .where(idsWithin({ endpoint_id: endpointId }, idRange(span)))
    .select((is) => [
      is.fn.countAll<number>().as("attempts"),
      sql<number>`count(case when status between 200 and 299 then 1 end)`.as("succeeded"),
    ])
    .executeTakeFirstOrThrow();
  return { attempts: Number(attempts), succeeded: Number(succeeded) };
}

/** How long the newest attempts took. */
export async function newestDurations(
  db: Database,
  endpointId: string,
  sinceMs: number,
  most: number,
): Promise<Pick<DeliveryAttemptRow, "duration_ms">[]> {
  return db
    .selectFrom("delivery_attempts")
    .select("duration_ms")
    .where(idsWithin({ endpoint_id: endpointId }, { from: firstUuidAt(sinceMs) }))
    .orderBy("endpoint_id", "desc")
    .orderBy("id", "desc")
    .limit(most)
    .execute();
}
