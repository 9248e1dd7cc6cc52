import { beforeAll, describe } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { openJournal, openStore } from "@countersign/store/open";
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
import { type Row, storedRow, storedRows, type Where } from "./stored-rows.ts";
import { newId, openTestOrganization, type TestOrganization } from "./test-organization.ts";

/** What tests of queries need: an open store, and new organizations and users in it. */
export interface QueryFixture {
  readonly kind: TestedDatabase["kind"];
  readonly store: Store;
  readonly reads: Database;
  write<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** The same queries without their first parameter: `read` calls them on `reads`, `write` each in a transaction. */
  queries<Queries extends object>(queries: Queries): Record<"read" | "write", Bound<Queries>>;
  /** The stored rows with these values, sorted by their first column. A list stands for any of its values. */
  rows<Table extends keyof Tables>(table: Table, where: Where<Row<Table>>): Promise<Row<Table>[]>;
  /** The only such row. */
  row<Table extends keyof Tables>(table: Table, where: Where<Row<Table>>): Promise<Row<Table>>;
  /** Changes columns of one row. */
  change<Table extends WithId>(table: Table, id: string, columns: Updateable<Tables[Table]>): Promise<void>;
  /** A new organization with a product. */
  organization(options?: OrganizationOptions): Promise<TestOrganization>;
  /** A new user without a membership. */
  user(options?: { readonly name?: string; readonly admin?: boolean }): Promise<TestUser>;
  /** A customer with these identifiers, by default with a new email address. */
  customer(organizationId: string, who?: Partial<CustomerIdentifiers>): Promise<string>;
  /** A new user with their own role in the organization. */
  member(organizationId: string, permissions?: readonly Permission[]): Promise<TestUser>;
  /** Adds requests to the log, and those that are tracked to the sightings of their IP addresses. */
  log(rows: readonly Parameters<typeof journalEntry>[0][]): Promise<void>;
  /** Closes the part of the log that is old enough at this time, so that its roll-ups exist. */
  closeLog(nowMs: number): Promise<void>;
}

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
    const opened = () => {
      if (shared === undefined) throw new Error("The store is opened before the first test.");
      return shared.store;
    };
    beforeAll(async () => {
      shared = await sharedStore(database);
    }, 60_000);
    const write: QueryFixture["write"] = (work) => opened().transaction(work);
    tests({
      kind: database.kind,
      get store() {
        return opened();
      },
      get reads() {
        return opened().reads;
      },
      write,
      queries: (queries) => ({
        read: bound(queries, (query) => query(opened().reads)),
        write: bound(queries, write),
      }),
      rows: (table, where) => storedRows(opened().reads, table, where),
      row: (table, where) => storedRow(opened().reads, table, where),
      change: async (table, id, columns) => {
        await write((db) =>
          db
            .updateTable(table as "licenses")
            .set(columns as object)
            .where("id", "=", id)
            .execute(),
        );
      },
      organization: (options = {}) => openTestOrganization(null, { ...options, store: opened() }),
      user: async ({ name = "Test Person", admin = false } = {}) => {
        const id = newId();
        const email = `${id}@example.com`;
        const user = { id, name, email, emailVerified: true, isPlatformAdmin: admin };
        await opened().transaction((db) => addUser(db, user, Date.now()));
        return { id, email };
      },
      customer: (organizationId, who = { email: `${newId()}@example.com` }) =>
        write((db) => customerFor(db, organizationId, { ...nobody, ...who }, newId, Date.now())),
      member: async (organizationId, permissions = []) => {
        const [userId, roleId] = [newId(), newId()];
        const email = `${userId}@example.com`;
        const user = { id: userId, name: "Test Member", email, emailVerified: true, isPlatformAdmin: false };
        const role = { id: roleId, organization_id: organizationId, name: `Role ${roleId}` };
        const [granted, nowMs] = [JSON.stringify(permissions), Date.now()];
        await opened().transaction(async (db) => {
          await addUser(db, user, nowMs);
          await addRole(db, { ...role, permissions: granted, created_at: nowMs, updated_at: nowMs });
          await addMember(db, { organizationId, userId, roleId }, nowMs);
        });
        return { id: userId, email };
      },
      log: async (rows) => {
        const journal = await shared?.journal();
        await journal?.append(rows.map((row) => journalEntry(row)));
      },
      closeLog: async (nowMs) => {
        const journal = await shared?.journal();
        while (((await journal?.closeSegment(nowMs)) ?? 0) > 0);
      },
    });
  });
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
