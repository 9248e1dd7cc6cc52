import { release } from "../../apps/server/base/release.ts";
import { databasesWithBackup } from "../support/postgres-with-programs.ts";
import { makeSnapshot } from "./snapshot.ts";

/** Called by `npm run release -- snapshot`. */
const databases = databasesWithBackup("snapshots");
if (databases.length < 2) throw new Error("The snapshot needs PostgreSQL with its pg_dump.");
for (const { makeEmpty } of databases) {
  const database = await makeEmpty();
  await makeSnapshot(release, database);
  database.remove();
}
process.exit(0);
