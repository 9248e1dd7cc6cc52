import { describe, expect, test } from "bun:test";
import { countedRequests } from "../../../tests/support/public-api-fixture.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { createOrganization } from "../queries/organizations/organizations.ts";
import type { Store } from "../store.ts";
import { ask, countTags, times } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

export function transactions(fixture: StoreFixture) {
  describe("transactions", () => {
    test("a transaction that fails writes nothing", async () => {
      const store = await fixture.node();
      const ids = [newId(), newId()];
      const failing = store.transaction(async (db) => {
        for (const id of ids) await createOrganization(db, organization(id), 1);
        throw new Error("changed my mind");
      });
      await expect(failing).rejects.toThrow("changed my mind");
      expect(await organizations(store, ids)).toBe(0);
    });

    test("a transaction that the database refuses writes nothing, and the next one works", async () => {
      const store = await fixture.node();
      const [first, second] = [newId(), newId()];
      const failing = store.transaction(async (db) => {
        for (const id of [first, first]) await createOrganization(db, organization(id), 1);
      });
      await expect(failing).rejects.toThrow();
      await store.transaction((db) => createOrganization(db, organization(second), 1));
      expect(await organizations(store, [first])).toBe(0);
      expect(await organizations(store, [second])).toBe(1);
    });

    test("two transactions that lock the same rows in opposite order both complete", async () => {
      const store = await fixture.node();
      const ids = [newId(), newId()] as const;
      await store.transaction(async (db) => {
        for (const id of ids) await createOrganization(db, organization(id), 1);
      });
      const rename = (order: readonly string[]) =>
        store.transaction(async (db) => {
          const rows = db.updateTable("organizations");
          const counted = rows.set((row) => ({ ip_blocks_revision: row("ip_blocks_revision", "+", 1) }));
          for (const id of order) await counted.where("id", "=", id).execute();
        });
      await Promise.all([rename(ids), rename(ids.toReversed())]);
      const rows = await storedRows(store.reads, "organizations", { id: ids });
      expect(rows.map((row) => row.ip_blocks_revision)).toEqual([2, 2]);
    }, 30_000);

    test("uncommitted writes are not visible, here or on another node", async () => {
      const store = await fixture.node();
      const other = await fixture.node();
      const id = newId();
      await store.transaction(async (db) => {
        await createOrganization(db, organization(id), 1);
        expect(await organizations(store, [id])).toBe(0);
        expect(await organizations(other, [id])).toBe(0);
      });
      expect(await organizations(store, [id])).toBe(1);
      expect(await organizations(other, [id])).toBe(1);
    });

    test("a batch that arrives during a failing transaction is not rolled back with it", async () => {
      const org = await fixture.org();
      const id = newId();
      const { promise: undone, resolve: undo } = Promise.withResolvers<void>();
      const { promise: written, resolve: wrote } = Promise.withResolvers<void>();
      const failing = org.store
        .transaction(async (db) => {
          await createOrganization(db, organization(id), 1);
          wrote();
          await undone;
          throw new Error("undo");
        })
        .catch((error: Error) => error.message);
      await written;
      const judging = ask(org, "X");
      undo();
      expect(await failing).toBe("undo");
      expect((await judging).tag).toBe("validated");
      expect(await countedRequests(org)).toBe(1);
      expect(await organizations(org.store, [id])).toBe(0);
    });

    test("concurrent transactions are all written", async () => {
      const store = await fixture.node();
      const ids = times(20, () => newId());
      const create = (id: string) => store.transaction((db) => createOrganization(db, organization(id), 1));
      await Promise.all(ids.map(create));
      expect(await organizations(store, ids)).toBe(20);
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
}

function organization(id: string) {
  return { id, name: "Test", slug: id, plan: "free" } as const;
}

async function organizations(store: Store, ids: readonly string[]): Promise<number> {
  const rows = await storedRows(store.reads, "organizations", { id: ids });
  return rows.length;
}
