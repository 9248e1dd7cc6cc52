import { afterAll, afterEach, beforeAll } from "bun:test";
import type { TestDatabase, TestedDatabase } from "../../../tests/support/databases.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { type DatabaseLocation, openJournal, openStore, type StoreOptions } from "../databases/open.ts";
import type { Journal, Store } from "../store.ts";

type OrganizationOptions = Omit<NonNullable<Parameters<typeof openTestOrganization>[1]>, "store">;

export type StoreFixture = ReturnType<typeof storeFixture>;

/**
 * The database that the tests of one group share, with its nodes. A store with options of its own is closed after the
 * test that opened it.
 */
export function storeFixture(database: TestedDatabase) {
  const created: TestDatabase[] = [];
  const shared: Promise<Store>[] = [];
  const opened: Store[] = [];
  let now: () => number = Date.now;
  let nodesInUse = 1;
  const kept = (fresh: TestDatabase) => {
    created.push(fresh);
    return fresh.location;
  };
  const location = () => {
    const first = created[0];
    if (first === undefined) throw new Error("The database is created before the first test of its group.");
    return first.location;
  };
  const open = (options: Partial<StoreOptions>) =>
    openStore(location(), { encryptionKey: null, durability: "standard", ...options });
  const sharedNode = (index: number) => {
    shared[index] ??= open({ now: () => now() });
    return shared[index];
  };
  // The first test may wait while PostgreSQL is set up.
  beforeAll(async () => kept(await database.make()), 60_000);
  afterEach(async () => {
    now = Date.now;
    nodesInUse = 1;
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    for (const store of shared) await (await store)?.close();
    for (const one of created.splice(0)) one.remove();
  });
  return {
    kind: database.kind,
    get location() {
      return location();
    },
    /** A separate database with all tables, for tests of the whole installation. */
    separate: async () => kept(await database.make()),
    /** The same without tables. */
    empty: async () => kept(await database.makeEmpty()),
    /** An organization with its own product, which no other test on this database uses. All nodes get its clock. */
    org: async ({ now: clock = now, ...options }: OrganizationOptions = {}) => {
      now = clock;
      return openTestOrganization(null, { ...options, store: await sharedNode(0) });
    },
    /** Another server's store on the same database. */
    node: async (options?: Partial<StoreOptions>) => {
      if (options === undefined) return sharedNode(nodesInUse++);
      const store = await open(options);
      opened.push(store);
      return store;
    },
    /** The store of all organizations, and those of other servers. */
    nodes: (count: number) => Promise.all(Array.from({ length: count }, (_, index) => sharedNode(index))),
  };
}

/** A store and two journals on a separate database, opened before the tests of this group and closed after them. */
export function separateLog(fixture: StoreFixture) {
  const log = {} as { location: DatabaseLocation; store: Store; journal: Journal; second: Journal };
  beforeAll(async () => {
    log.location = await fixture.separate();
    log.store = await openStore(log.location, { encryptionKey: null, durability: "standard" });
    log.journal = await openJournal(log.location);
    log.second = await openJournal(log.location);
  }, 60_000);
  afterAll(async () => {
    for (const opened of [log.second, log.journal, log.store]) await opened?.close();
  });
  return log;
}
