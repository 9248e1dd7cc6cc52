import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import type { Tables } from "../tables.ts";
import { KeptStatements } from "./statements.ts";

/** Lets Kysely speak to node:sqlite, which calls the same things by other names than the driver it was made for. */
export function kyselyOver(database: DatabaseSync): Kysely<Tables> {
  const statements = new KeptStatements(database);
  return new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        close: () => undefined,
        prepare: (sql) => {
          const { statement, gives } = statements.for(sql);
          return {
            reader: gives,
            all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
            run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
            // One of its own: others may run this statement while its rows are being read.
            iterate: (parameters) =>
              database.prepare(sql).iterate(...(parameters as SQLInputValue[])) as IterableIterator<unknown>,
          };
        },
      },
    }),
  });
}
