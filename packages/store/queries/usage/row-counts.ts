import { sql } from "kysely";
import type { Database } from "../../store.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";

/** Each step follows an index over this many rows. */
const rowsAtOnce = 10_000;
const maxCounted = 100_000;

/** The columns that follow the organization in the index that is counted along, in the order of time. */
const order = {
  events: ["id"],
  audit_log: ["at", "id"],
} as const;

type CountedTable = keyof typeof order;

interface Position {
  readonly id: string;
  readonly at: number;
}

/**
 * How many rows of a table belong to an organization. Counting stops after a while: then the rest is estimated as if
 * there had always been as many a day as in the oldest part.
 */
export async function estimatedRows(
  db: Database,
  table: CountedTable,
  organizationId: string,
  nowMs: number,
  limits = { rowsAtOnce, maxCounted },
): Promise<number> {
  let start: Position | null = null;
  let after: Position | null = null;
  for (let counted = 0; ; counted += limits.rowsAtOnce) {
    if (start !== null && after !== null && counted >= limits.maxCounted) {
      const share = (after.at - start.at) / Math.max(1, nowMs - start.at);
      return share > 0 ? Math.max(counted, Math.round(counted / share)) : counted;
    }
    const last: Position | undefined = await rowAt(db, table, organizationId, after, limits.rowsAtOnce - 1);
    if (last === undefined) return counted + (await countAfter(db, table, organizationId, after));
    start ??= (await rowAt(db, table, organizationId, null, 0)) ?? last;
    after = last;
    await yieldToEventLoop();
  }
}

/** The row that follows after skipping some. */
async function rowAt(
  db: Database,
  table: CountedTable,
  organizationId: string,
  after: Position | null,
  skipped: number,
): Promise<Position | undefined> {
  const columns = sql.join(order[table].map((name) => sql.ref(name)));
  const { rows } = await sql<Position>`select id, at from ${sql.table(table)}
    where ${following(table, organizationId, after)}
    order by organization_id, ${columns} limit 1 offset ${skipped}`.execute(db);
  return rows[0];
}

async function countAfter(
  db: Database,
  table: CountedTable,
  organizationId: string,
  after: Position | null,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}
    where ${following(table, organizationId, after)}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

function following(table: CountedTable, organizationId: string, after: Position | null) {
  const ofOrganization = sql<boolean>`organization_id = ${organizationId}`;
  if (after === null) return ofOrganization;
  const columns = sql.join(order[table].map((name) => sql.ref(name)));
  const values = sql.join(order[table].map((name) => after[name]));
  return sql<boolean>`${ofOrganization} and (${columns}) > (${values})`;
}
