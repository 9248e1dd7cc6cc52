import { expect, test } from "bun:test";
import { addUser } from "@countersign/store/queries/identity/users";
import { databases } from "./databases.ts";
import { openOwnOrganization } from "./own-organization.ts";
import { newId } from "./test-organization.ts";
import { UnchangedDatabase } from "./unchanged-database.ts";

test.each(databases)(
  "a comparison for the calls of many tests names those that changed $kind",
  async ({ make }) => {
    const { store, close } = await openOwnOrganization(make);
    const change = async () => {
      const id = newId();
      const user = { id, name: "A", email: `${id}@example.com`, emailVerified: true, isPlatformAdmin: false };
      await store.transaction((db) => addUser(db, user, Date.now()));
    };
    const nothing = async () => {};

    const unchanged = new UnchangedDatabase(store);
    for (let count = 0; count < 60; count += 1) await unchanged.during(`calls ${count}`, nothing);
    await unchanged.compare();
    await unchanged.during("harmless", nothing);
    await unchanged.during("harmful", change);
    await unchanged.during("harmless, too", nothing);
    await expect(unchanged.compare()).rejects.toThrow(/^harmful changed users from/);

    // All are named if the change does not repeat.
    const once = new UnchangedDatabase(store);
    let isFirst = true;
    await once.during("harmless", nothing);
    await once.during("harmful once", async () => {
      if (isFirst) await change();
      isFirst = false;
    });
    await expect(once.compare()).rejects.toThrow("One of harmless, harmful once changed users from");

    // Without being asked to compare.
    const many = new UnchangedDatabase(store);
    const tried = async () => {
      for (let count = 0; count < 60; count += 1) await many.during(`calls ${count}`, change);
    };
    await expect(tried()).rejects.toThrow(/^calls 0 changed users from/);

    // A change on purpose is not blamed on earlier or later calls, and may be limited to some tables.
    const meant = new UnchangedDatabase(store);
    await meant.during("harmless", nothing);
    await meant.changing(change);
    await meant.during("harmless", nothing);
    await meant.changing(change, ["users"]);
    await meant.during("harmful", change);
    await expect(meant.changing(change)).rejects.toThrow(/^harmful changed users from/);
    await expect(new UnchangedDatabase(store).changing(change, ["attempts"])).rejects.toThrow("users");
    await close();
  },
  60_000,
);
