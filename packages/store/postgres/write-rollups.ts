import type pg from "pg";
import type { RollUps } from "../rollups/roll-up.ts";
import {
  dayTable,
  hourTable,
  hourUniquesTable,
  licenseDayTable,
  type RollUpTable,
} from "../rollups/tables.ts";

/** With the largest sketches, this is about 3 MB. */
const rowsAtOnce = 500;

/**
 * Adds to the roll-ups, inside the transaction that closes the part of the log that they were counted from. Such
 * transactions exclude each other, so no row changes between reading and writing it.
 */
export async function writeRollUps(client: pg.Client, { hours, days, sharing }: RollUps): Promise<void> {
  await write(client, hourTable, hours);
  await write(client, hourUniquesTable, hours);
  await write(client, dayTable, days);
  await write(client, licenseDayTable, sharing);
}

async function write<Row, Added>(
  client: pg.Client,
  table: RollUpTable<Row, Added>,
  added: readonly Added[],
): Promise<void> {
  const { name, key, columns, numbers, keyOf, merged } = table;
  const list = (column: string, at: number) => `$${at + 1}::${numbers.has(column) ? "bigint" : "text"}[]`;
  const same = key.map((column) => `stored.${column} = added.${column}`).join(" and ");
  for (let from = 0; from < added.length; from += rowsAtOnce) {
    const some = added.slice(from, from + rowsAtOnce);
    const keys = some.map(keyOf);
    const { rows } = await client.query<Row & object>({
      name: `stored_${name}`,
      text: `select ${columns.map((column) => `stored.${column}`).join()}
        from unnest(${key.map(list).join()}) as added (${key.join()}) join ${name} stored on ${same}`,
      values: key.map((_, at) => keys.map((values) => values[at])),
    });
    const known = new Map(rows.map((row) => [key.map((column) => row[column]).join(" "), row]));
    const written = some.map((one, at) => merged(known.get((keys[at] ?? []).join(" ")), one));
    await client.query({
      name: `write_${name}`,
      text: `insert into ${name} (${columns.join()}) select * from unnest(${columns.map(list).join()})
        on conflict (${key.join()}) do update set ${columns
          .filter((column) => !key.includes(column))
          .map((column) => `${column} = excluded.${column}`)
          .join()}`,
      values: columns.map((column) => written.map((row) => row[column])),
    });
  }
}
