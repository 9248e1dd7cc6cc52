import { beforeAll, describe } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { openJournal, openStore } from "@countersign/store/databases/open";
import { type CustomerIdentifiers, customerFor } from "@countersign/store/queries/customers/identify";
import { addUser } from "@countersign/store/queries/identity/users";
import { addMember } from "@countersign/store/queries/members/members";
import { addRole } from "@countersign/store/queries/roles/roles";
import type { Database, Journal, Store } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import type { Updateable } from "kysely";
import { databases, on, type TestedDatabase } from "./databases.ts";
import { journalEntry } from "./request-log.ts";
import { afterAllFiles } from "./shared-resources.ts";
import { changeRows, type Row, storedRow, storedRows, type Where } from "./stored-rows.ts";
import { newId, openTestOrganization } from "./test-organization.ts";

export interface TestUser {
  readonly id: string;
  readonly email: string;
}

type Bound<Queries> = {
  readonly [Name in keyof Queries]: Queries[Name] extends (
    db: Database,
    ...values: infer Values
  ) => infer Result
    ? (...values: Values) => Result
    : never;
};
type WithId = {
  [Table in keyof Tables]: Tables[Table] extends { readonly id: string } ? Table : never;
}[keyof Tables];

type OrganizationOptions = Omit<NonNullable<Parameters<typeof openTestOrganization>[1]>, "store" | "now">;

/**
 * Tests of queries, on both databases. All files of a process share a store for each, so a test works in its own
 * organizations.
 */
export function onBothDatabases(title: string, tests: (fixture: QueryFixture) => void): void {
  onDatabases(databases, title, tests);
}

/** Tests of a part of the server whose queries are tested on both databases, on the database of the file. */
export function onDatabase(
  kind: TestedDatabase["kind"],
  title: string,
  tests: (fixture: QueryFixture) => void,
): void {
  onDatabases(on(kind), title, tests);
}

function onDatabases(
  tested: readonly TestedDatabase[],
  title: string,
  tests: (fixture: QueryFixture) => void,
): void {
  describe.each(tested)(`${title} on $kind`, (database) => {
    let shared: Opened | undefined;
    beforeAll(async () => {
      shared = await sharedStore(database);
    }, 60_000);
    const opened = () => {
      if (shared === undefined) throw new Error("The store is opened before the first test.");
      return shared;
    };
    tests(fixtureOf(database.kind, opened));
  });
}

/** What tests of queries need: an open store, and new organizations and users in it. */
export type QueryFixture = ReturnType<typeof fixtureOf>;

function fixtureOf(kind: TestedDatabase["kind"], opened: () => Opened) {
  const write = <T>(work: (db: Database) => Promise<T>): Promise<T> => opened().store.transaction(work);
  return {
    kind,
    get store(): Store {
      return opened().store;
    },
    get reads(): Database {
      return opened().store.reads;
    },
    write,
    /** The same queries without their first parameter: `read` calls them on `reads`, `write` each in a transaction. */
    queries: <Queries extends object>(queries: Queries): Record<"read" | "write", Bound<Queries>> => ({
      read: bound(queries, (query) => query(opened().store.reads)),
      write: bound(queries, write),
    }),
    /** The stored rows with these values, sorted by their first column. A list stands for any of its values. */
    rows: <Table extends keyof Tables>(table: Table, where: Where<Row<Table>>) =>
      storedRows(opened().store.reads, table, where),
    /** The only such row. */
    row: <Table extends keyof Tables>(table: Table, where: Where<Row<Table>>) =>
      storedRow(opened().store.reads, table, where),
    /** Changes columns of one row. */
    change: <Table extends WithId>(table: Table, id: string, columns: Updateable<Tables[Table]>) =>
      write((db) => changeRows(db, table, { id } as object, columns)),
    /** A new organization with a product. */
    organization: (options: OrganizationOptions = {}) =>
      openTestOrganization(null, { ...options, store: opened().store }),
    /** A new user without a membership. */
    user: (options: { readonly name?: string; readonly admin?: boolean } = {}) =>
      write((db) => newUser(db, options)),
    /** A customer with these identifiers, by default with a new email address. */
    customer: (
      organizationId: string,
      who: Partial<CustomerIdentifiers> = { email: `${newId()}@example.com` },
    ) => write((db) => customerFor(db, organizationId, { ...nobody, ...who }, newId, Date.now())),
    /** A new user with their own role in the organization. */
    member: (organizationId: string, permissions: readonly Permission[] = []) =>
      write(async (db) => {
        const [roleId, nowMs] = [newId(), Date.now()];
        const user = await newUser(db, { name: "Test Member" });
        const role = { id: roleId, organization_id: organizationId, name: `Role ${roleId}` };
        const granted = { ...role, permissions: JSON.stringify(permissions) };
        await addRole(db, { ...granted, created_at: nowMs, updated_at: nowMs });
        await addMember(db, { organizationId, userId: user.id, roleId }, nowMs);
        return user;
      }),
    /** Adds requests to the log, and those that are tracked to the sightings of their IP addresses. */
    log: async (rows: readonly Parameters<typeof journalEntry>[0][]) => {
      const journal = await opened().journal();
      await journal.append(rows.map((row) => journalEntry(row)));
    },
    /** Closes the part of the log that is old enough at this time, so that its roll-ups exist. */
    closeLog: async (nowMs: number) => {
      const journal = await opened().journal();
      while ((await journal.closeSegment(nowMs)) > 0);
    },
  };
}

async function newUser(db: Database, { name = "Test Person", admin = false }): Promise<TestUser> {
  const id = newId();
  const email = `${id}@example.com`;
  await addUser(db, { id, name, email, emailVerified: true, isPlatformAdmin: admin }, Date.now());
  return { id, email };
}

const nobody = { email: null, discordId: null, name: null };

type Query = (db: Database, ...values: unknown[]) => Promise<unknown>;

function bound<Queries extends object>(
  queries: Queries,
  run: (work: (db: Database) => Promise<unknown>) => Promise<unknown>,
): Bound<Queries> {
  const names = Object.entries(queries).map(([name, query]) => [
    name,
    (...values: unknown[]) => run((db) => (query as Query)(db, ...values)),
  ]);
  return Object.fromEntries(names);
}

/** What this makes, one after the other, so that their IDs are in order. */
export async function several<T, Count extends number>(
  count: Count,
  make: () => Promise<T>,
): Promise<Several<T, Count>> {
  const made: T[] = [];
  for (let index = 0; index < count; index++) made.push(await make());
  return made as Several<T, Count>;
}

type Several<T, Count extends number, Made extends T[] = []> = number extends Count
  ? T[]
  : Made["length"] extends Count
    ? Made
    : Several<T, Count, [...Made, T]>;

/** All pages of a list but the empty one at its end. Each is read after the last row of the one before. */
export async function pages<Row>(read: (last: Row | null) => Promise<readonly Row[]>): Promise<Row[][]> {
  const found: Row[][] = [];
  for (let last: Row | null = null; ; ) {
    const page = await read(last);
    last = page.at(-1) ?? null;
    if (last === null) return found;
    found.push([...page]);
  }
}

export function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

interface Opened {
  readonly store: Store;
  /** Opened by the first test that needs it. */
  journal(): Promise<Journal>;
}

const stores = new Map<TestedDatabase, Promise<Opened>>();

function sharedStore(database: TestedDatabase): Promise<Opened> {
  const known = stores.get(database) ?? open(database);
  stores.set(database, known);
  return known;
}

async function open(database: TestedDatabase): Promise<Opened> {
  const { location, remove } = await database.make();
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  let journal: Promise<Journal> | undefined;
  afterAllFiles.push(async () => {
    await (await journal)?.close();
    await store.close();
    remove();
  });
  return {
    store,
    journal: () => {
      journal ??= openJournal(location);
      return journal;
    },
  };
}
