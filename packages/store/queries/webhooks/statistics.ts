import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { DeliveryAttemptRow, DeliveryRow } from "../../tables/events.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { idsWithin } from "../conditions.ts";

/** The range of creation times, by which IDs sort. Null for no bound. */
export interface TimeSpan {
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
}

function idRange({ fromMs, beforeMs }: TimeSpan) {
  return {
    from: fromMs === null ? null : firstUuidAt(fromMs),
    before: [beforeMs === null ? null : firstUuidAt(beforeMs)],
  };
}

/**
 * How many rows one statement counts. It takes a millisecond or two, during which the thread does nothing else on
 * SQLite.
 */
const rowsAtOnce = 5_000;

/** Tells a count to stop. It then returns what it has. */
export type IsOver = () => boolean;

/**
 * How many deliveries have a state, from an index alone. The order is that of the index. Otherwise PostgreSQL might
 * choose the index without the state and read all rows of the endpoint.
 */
export async function countDeliveries(
  db: Database,
  endpointId: string,
  state: DeliveryRow["state"],
  span: TimeSpan,
  isOver: IsOver,
): Promise<number> {
  let total = 0;
  const slices = inSlices(isOver, (after) => {
    const slice = db
      .selectFrom("deliveries")
      .select("id")
      .where(idsWithin({ endpoint_id: endpointId, state }, { ...idRange(span), after }))
      .orderBy("endpoint_id")
      .orderBy("state")
      .orderBy("id")
      .limit(rowsAtOnce);
    return db
      .selectFrom(slice.as("slice"))
      .select((is) => [is.fn.countAll().as("rows"), is.fn.max("id").as("last")])
      .executeTakeFirstOrThrow();
  });
  for await (const { rows } of slices) total += Number(rows);
  return total;
}

/** How many attempts there were, and how many of them succeeded, from an index alone. */
export async function countAttempts(
  db: Database,
  endpointId: string,
  span: TimeSpan,
  isOver: IsOver,
): Promise<{ attempts: number; succeeded: number }> {
  const total = { attempts: 0, succeeded: 0 };
  const slices = inSlices(isOver, (after) => {
    const slice = db
      .selectFrom("delivery_attempts")
      .select(["id", "status"])
      .where(idsWithin({ endpoint_id: endpointId }, { ...idRange(span), after }))
      .orderBy("endpoint_id")
      .orderBy("id")
      .limit(rowsAtOnce);
    return db
      .selectFrom(slice.as("slice"))
      .select((is) => [
        is.fn.countAll().as("rows"),
        sql<number>`count(case when status between 200 and 299 then 1 end)`.as("succeeded"),
        is.fn.max("id").as("last"),
      ])
      .executeTakeFirstOrThrow();
  });
  for await (const { rows, succeeded } of slices) {
    total.attempts += Number(rows);
    total.succeeded += Number(succeeded);
  }
  return total;
}

interface Slice {
  readonly rows: number | string | bigint;
  readonly last: string | null;
}

/** Reads slices, each after the last ID of the previous one, and lets other work run in between. */
async function* inSlices<S extends Slice>(
  isOver: IsOver,
  read: (after: string | null) => Promise<S>,
): AsyncGenerator<S> {
  for (let after: string | null = null; ; ) {
    const slice = await read(after);
    yield slice;
    if (Number(slice.rows) < rowsAtOnce || isOver()) return;
    after = slice.last;
    await yieldToEventLoop();
  }
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
