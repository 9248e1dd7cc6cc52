import type { DatabaseSync } from "node:sqlite";
import type { RollUps } from "../rollups/roll-up.ts";
import {
  dayTable,
  hourTable,
  hourUniquesTable,
  licenseDayTable,
  type RollUpTable,
} from "../rollups/tables.ts";

/** Adds to the roll-ups, inside the transaction that closes the part of the log that they were counted from. */
export function writeRollUps(database: DatabaseSync, { hours, days, sharing }: RollUps): void {
  write(database, hourTable, hours);
  write(database, hourUniquesTable, hours);
  write(database, dayTable, days);
  write(database, licenseDayTable, sharing);
}

function write<Row, Added>(
  database: DatabaseSync,
  { name, key, columns, keyOf, merged }: RollUpTable<Row, Added>,
  added: readonly Added[],
): void {
  if (added.length === 0) return;
  const stored = database.prepare(
    `select ${columns.join()} from ${name} where ${key.map((column) => `${column} = ?`).join(" and ")}`,
  );
  const replace = database.prepare(
    `insert into ${name} (${columns.join()}) values (${columns.map(() => "?").join()})
     on conflict (${key.join()}) do update set ${updates(key, columns)}`,
  );
  for (const one of added) {
    const row = merged(stored.get(...keyOf(one)) as unknown as Row | undefined, one);
    replace.run(...columns.map((column) => row[column] as string | number | null));
  }
}

function updates(key: readonly string[], columns: readonly string[]): string {
  return columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = excluded.${column}`)
    .join();
}
