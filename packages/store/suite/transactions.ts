import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { countedRequests } from "../../../tests/support/public-api-fixture.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import type { Database, Store } from "../store.ts";
import { ask, countTags, times } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

/** That concurrent transactions are all written: packages/store/queries/locks.test.ts. */
export function transactions(fixture: StoreFixture) {
  describe("transactions", () => {
    test("a transaction that fails or is refused by the database writes nothing, and the next one works", async () => {
      const store = await fixture.node();
      const names = [newId(), newId()];
      const failing = store.transaction(async (db) => {
        for (const name of names) await add(db, name);
        throw new Error("changed my mind");
      });
      await expect(failing).rejects.toThrow("changed my mind");
      const [first = "", second = ""] = names;
      const refused = store.transaction(async (db) => {
        for (const name of [first, first]) await add(db, name);
      });
      await expect(refused).rejects.toThrow();
      await store.transaction((db) => add(db, second));
      expect(await values(store, names)).toEqual([undefined, "1"]);
    });

    test("two transactions that lock the same rows in opposite order both complete", async () => {
      const store = await fixture.node();
      const names = [newId(), newId()];
      await store.transaction(async (db) => {
        for (const name of names) await add(db, name);
      });
      const extend = (order: readonly string[]) =>
        store.transaction(async (db) => {
          for (const name of order) {
            const row = db.updateTable("platform_state").where("name", "=", name);
            await row.set({ value: sql`value || '1'` }).execute();
          }
        });
      await Promise.all([extend(names), extend(names.toReversed())]);
      expect(await values(store, names)).toEqual(["111", "111"]);
    }, 30_000);

    test("uncommitted writes are not visible, here or on another node", async () => {
      const stores = [await fixture.node(), await fixture.node()];
      const name = newId();
      const seen = () => Promise.all(stores.map(async (store) => (await values(store, [name]))[0]));
      await stores[0]?.transaction(async (db) => {
        await add(db, name);
        expect(await seen()).toEqual([undefined, undefined]);
      });
      expect(await seen()).toEqual(["1", "1"]);
    });

    test("a batch and a library's own write that arrive during a failing transaction are not rolled back with it", async () => {
      const org = await fixture.org();
      const [name, own] = [newId(), newId()];
      const undone = Promise.withResolvers<void>();
      const written = Promise.withResolvers<void>();
      const failing = org.store
        .transaction(async (db) => {
          await add(db, name);
          written.resolve();
          await undone.promise;
          throw new Error("undo");
        })
        .catch((error: Error) => error.message);
      await written.promise;
      const judging = ask(org, "X");
      const adding = add(org.store.direct, own);
      undone.resolve();
      expect(await failing).toBe("undo");
      expect((await judging).tag).toBe("validated");
      await adding;
      expect(await countedRequests(org)).toBe(1);
      expect(await values(org.store, [name, own])).toEqual([undefined, "1"]);
    });

    test("a store whose responses wait for the disk gives the same results", async () => {
      const org = await fixture.org({ dailyLimit: 3 });
      const { key } = await org.license();
      const strict = await fixture.node({ durability: "strict" });
      const results = await Promise.all(times(5, () => ask(org, key, { on: strict })));
      expect([countTags(results, "validated"), countTags(results, "limited")]).toEqual([3, 2]);
    });

    test("a ping succeeds, and the clock is within a minute of this machine's", async () => {
      const store = await fixture.node();
      await store.ping();
      expect(Math.abs((await store.clock()) - Date.now())).toBeLessThan(60_000);
    });
  });

  describe("own writes of a library", () => {
    test("a library's own write is visible at once to all readers, and says what it has changed", async () => {
      const store = await fixture.node();
      const other = await fixture.node();
      const name = newId();
      await add(store.direct, name);
      expect([await values(store, [name]), await values(other, [name])]).toEqual([["1"], ["1"]]);
      const { direct } = store;
      const changed = direct.updateTable("platform_state").set({ value: "2" }).where("name", "=", name);
      expect(await changed.returningAll().executeTakeFirst()).toEqual({ name, value: "2" });
      const gone = await direct.deleteFrom("platform_state").where("name", "=", name).executeTakeFirst();
      expect(gone.numDeletedRows).toBe(1n);
    });

    test("a library's own reads do not wait for a writer", async () => {
      const store = await fixture.node();
      const name = newId();
      await add(store.direct, name);
      await store.transaction(async () => expect(await values(store, [name], store.direct)).toEqual(["1"]));
    });

    test("a library's transactions are atomic, concurrent ones are all written, and a refused write affects no other", async () => {
      const store = await fixture.node();
      const names = times(10, () => newId());
      const isUndone = (index: number) => index % 2 === 1;
      const adding = names.map((name, index) =>
        store.direct.transaction().execute(async (db) => {
          await add(db, name);
          if (isUndone(index)) throw new Error("undo");
        }),
      );
      await Promise.allSettled(adding);
      expect(await values(store, names)).toEqual(names.map((_, at) => (isUndone(at) ? undefined : "1")));
      await expect(add(store.direct, names[0] ?? "")).rejects.toThrow();
      await add(store.direct, names[1] ?? "");
      expect(await values(store, names.slice(0, 2))).toEqual(["1", "1"]);
    });
  });
}

async function add(db: Database, name: string): Promise<void> {
  await db.insertInto("platform_state").values({ name, value: "1" }).execute();
}

async function values({ reads }: Store, names: readonly string[], db = reads) {
  const rows = await storedRows(db, "platform_state", { name: names });
  return names.map((name) => rows.find((row) => row.name === name)?.value);
}
