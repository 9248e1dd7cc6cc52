import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import { addUser } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import { databases, type TestDatabase } from "./databases.ts";
import { newId } from "./test-organization.ts";
import { UnchangedDatabase } from "./unchanged-database.ts";

describe.each(databases)("a comparison for the calls of many tests, on $kind", ({ make }) => {
  let made: TestDatabase;
  let store: Store;
  let database: UnchangedDatabase;
  beforeAll(async () => {
    made = await make();
    store = await openStore(made.location, { encryptionKey: null, durability: "standard" });
  });
  afterAll(async () => {
    await store.close();
    made.remove();
  });
  beforeEach(() => {
    database = new UnchangedDatabase(store);
  });

  const change = async () => {
    const id = newId();
    const user = { id, name: "A", email: `${id}@example.com`, emailVerified: true, isPlatformAdmin: false };
    await store.transaction((db) => addUser(db, user, Date.now()));
  };
  const nothing = async () => {};

  test("passes if nothing has changed", async () => {
    for (let count = 0; count < 60; count += 1) await database.during(`calls ${count}`, nothing);
    await database.compare();
  });

  test("names the calls that changed something", async () => {
    await database.during("harmless", nothing);
    await database.during("harmful", change);
    await database.during("harmless, too", nothing);
    await expect(database.compare()).rejects.toThrow(/^harmful changed users from/);
  });

  test("names all calls if the change does not repeat", async () => {
    let isFirst = true;
    await database.during("harmless", nothing);
    await database.during("harmful once", async () => {
      if (isFirst) await change();
      isFirst = false;
    });
    await expect(database.compare()).rejects.toThrow("One of harmless, harmful once changed users from");
  });

  test("fails after many calls without being asked to compare", async () => {
    const tried = async () => {
      for (let count = 0; count < 60; count += 1) await database.during(`calls ${count}`, change);
    };
    await expect(tried()).rejects.toThrow(/^calls 0 changed users from/);
  });

  test("compares before a change on purpose, which it does not blame on earlier or later calls", async () => {
    await database.during("harmless", nothing);
    await database.changing(change);
    await database.during("harmless", nothing);
    await database.changing(change, ["users"]);
    await database.during("harmful", change);
    await expect(database.changing(change)).rejects.toThrow(/^harmful changed users from/);
  });

  test("a change on purpose may be limited to some tables", async () => {
    await expect(database.changing(change, ["attempts"])).rejects.toThrow("users");
  });
});
