import { sql } from "kysely";
import type { Sealer } from "../../secrets/sealer.ts";
import type { Database, Store } from "../../store.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";

/** Every column with values that the data key seals. Those of `platform_state` are secrets of the installation. */
export const sealedColumns: readonly SealedTable[] = [
  { table: "product_signing_keys", key: ["id"], columns: ["sealed_secret"] },
  { table: "webhook_endpoints", key: ["id"], columns: ["sealed_url", "sealed_headers"] },
  { table: "webhook_secrets", key: ["id"], columns: ["sealed_secret"] },
  { table: "delivery_attempts", key: ["id"], columns: ["sealed_response"] },
  { table: "outbox", key: ["id"], columns: ["sealed_body"] },
  { table: "portal_codes", key: ["id"], columns: ["sealed_email"] },
  { table: "idempotency_keys", key: ["actor_id", "idempotency_key"], columns: ["sealed_answer"] },
  { table: "platform_state", key: ["name"], columns: ["value"], where: "name = 'sign_in_secret'" },
];

interface SealedTable {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly where?: string;
}

/** On SQLite, validations wait for each transaction of another process. */
const rowsAtOnce = 50;

export interface Resealed {
  readonly sealed: number;
  /** What neither key opens: it was damaged before, and stays as it is. */
  readonly unreadable: number;
}

/** Seals everything with `next` that is sealed with `before`, a few rows at a time, while servers read and write. */
export async function resealEverything(store: Store, before: Sealer, next: Sealer): Promise<Resealed> {
  const total = { sealed: 0, unreadable: 0 };
  for (const table of sealedColumns)
    for (let after: readonly string[] | null = null; ; await yieldToEventLoop()) {
      const rows = await page(store.reads, table, after);
      const changes = rows.flatMap((row) =>
        table.columns.flatMap((column) => changeOf(row, column, before, next)),
      );
      const readable = changes.filter(({ value }) => value !== null);
      total.unreadable += changes.length - readable.length;
      if (readable.length > 0)
        total.sealed += await store.transaction((db) => write(db, table, readable), "soon");
      const last = rows.at(-1);
      if (last === undefined) break;
      after = table.key.map((name) => last[name] ?? "");
    }
  return total;
}

type Row = Readonly<Record<string, string | null>>;

async function page(db: Database, table: SealedTable, after: readonly string[] | null): Promise<Row[]> {
  const key = sql.raw(table.key.join());
  const next = after === null ? sql`` : sql`and (${key}) > (${sql.join([...after])})`;
  const { rows } = await sql<Row>`
    select ${sql.raw([...table.key, ...table.columns].join())} from ${sql.raw(table.table)}
    where ${sql.raw(table.where ?? "1 = 1")} ${next} order by ${key} limit ${rowsAtOnce}`.execute(db);
  return rows;
}

interface Change {
  readonly row: Row;
  readonly column: string;
  readonly was: string;
  readonly value: string | null;
}

function changeOf(row: Row, column: string, before: Sealer, next: Sealer): Change[] {
  const was = row[column] ?? null;
  if (was === null || opened(next, was) !== null) return [];
  const secret = opened(before, was);
  return [{ row, column, was, value: secret === null ? null : next.seal(secret) }];
}

function opened(sealer: Sealer, sealed: string): Uint8Array | null {
  try {
    return sealer.open(sealed);
  } catch {
    return null;
  }
}

/** A value that changed meanwhile is left for the next time. */
async function write(db: Database, table: SealedTable, changes: readonly Change[]): Promise<number> {
  let written = 0;
  for (const { row, column, was, value } of changes) {
    const same = sql.join(
      table.key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
      sql` and `,
    );
    const { numAffectedRows } = await sql`update ${sql.raw(table.table)} set ${sql.ref(column)} = ${value}
      where ${same} and ${sql.ref(column)} = ${was}`.execute(db);
    written += Number(numAffectedRows ?? 0n);
  }
  return written;
}
