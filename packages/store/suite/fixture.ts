import { afterAll, afterEach, beforeAll } from "bun:test";
import type { TestDatabase, TestedDatabase } from "../../../tests/support/databases.ts";
import { openTestOrganization, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { type DatabaseLocation, openStore, type StoreOptions } from "../open.ts";
import type { Store } from "../store.ts";

export interface StoreFixture {
  readonly kind: "sqlite" | "postgres";
  readonly location: DatabaseLocation;
  /** An organization with its own product, which no other test on this database uses. */
  org(options?: Parameters<typeof openTestOrganization>[1]): Promise<TestOrganization>;
  /** Another server's store on the same database. */
  node(options?: Partial<StoreOptions>): Promise<Store>;
  /** A separate database, for tests of the whole installation. */
  empty(): Promise<DatabaseLocation>;
}

/** The database that the tests of one group share. Opened stores are closed after each test. */
export function storeFixture(database: TestedDatabase): StoreFixture {
  const created: TestDatabase[] = [];
  const opened: Store[] = [];
  const kept = (fresh: TestDatabase) => {
    created.push(fresh);
    return fresh.location;
  };
  const shared = () => {
    const first = created[0];
    if (first === undefined) throw new Error("The database is created before the first test of its group.");
    return first.location;
  };
  // The first test may wait while PostgreSQL is set up.
  beforeAll(async () => kept(await database.make()), 60_000);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  afterAll(() => {
    for (const one of created.splice(0)) one.remove();
  });
  return {
    kind: database.kind,
    get location() {
      return shared();
    },
    empty: async () => kept(await database.makeEmpty()),
    org: async (options) => {
      const org = await openTestOrganization(shared(), options);
      opened.push(org.store);
      return org;
    },
    node: async (options) => {
      const store = await openStore(shared(), { encryptionKey: null, durability: "standard", ...options });
      opened.push(store);
      return store;
    },
  };
}
