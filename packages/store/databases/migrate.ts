import type { MigrationOptions } from "../migrations/migration.ts";
import { migrateDatabase } from "../postgres/migrate.ts";
import { migrateFolder } from "../sqlite/migrate.ts";
import type { DatabaseLocation } from "./open.ts";

/** Brings the schema up to date and returns the names of the applied migrations. */
export async function migrate(location: DatabaseLocation, options: MigrationOptions = {}): Promise<string[]> {
  switch (location.kind) {
    case "sqlite":
      return migrateFolder(location.folder);
    case "postgres":
      return migrateDatabase(location.url, options);
  }
}
