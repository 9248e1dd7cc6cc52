import { heart } from "./0001-heart.ts";
import { journal } from "./0001-journal.ts";
import { people } from "./0002-people.ts";
import { signIn } from "./0003-sign-in.ts";
import { events } from "./0004-events.ts";
import type { Migration } from "./migration.ts";

/** What the service decides from. */
export const mainMigrations: readonly Migration[] = [heart, people, signIn, events];

/**
 * What it observed: the request log and the sightings. SQLite keeps these in a file of their own, so that writing
 * them never holds up a verdict; PostgreSQL keeps them beside the rest.
 */
export const journalMigrations: readonly Migration[] = [journal];
