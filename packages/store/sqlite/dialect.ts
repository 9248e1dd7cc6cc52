import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import type { Tables } from "../tables.ts";

/** Lets Kysely speak to node:sqlite, which calls the same things by other names than the driver it was made for. */
export function kyselyOver(database: DatabaseSync): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        close: () => undefined,
        prepare: (sql) => {
          const statement = database.prepare(sql);
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
            run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
            iterate: (parameters) =>
              statement.iterate(...(parameters as SQLInputValue[])) as IterableIterator<unknown>,
          };
        },
      },
    }),
  });
}
