import { describe, expect, test } from "bun:test";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { createOrganization } from "../queries/organizations/organizations.ts";
import type { Store } from "../store.ts";
import { times } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

export function direct(fixture: StoreFixture) {
  describe("a library's own write", () => {
    test("is visible at once to all readers", async () => {
      const store = await fixture.node();
      const other = await fixture.node();
      const name = newId();
      await put(store, name, "1");
      expect([await read(store, name), await read(other, name)]).toEqual(["1", "1"]);
      const { direct } = store;
      const changed = direct.updateTable("platform_state").set({ value: "2" }).where("name", "=", name);
      expect(await changed.returningAll().executeTakeFirst()).toEqual({ name, value: "2" });
      const gone = await direct.deleteFrom("platform_state").where("name", "=", name).executeTakeFirst();
      expect(gone.numDeletedRows).toBe(1n);
    });

    test("waits for a transaction, and is not rolled back with it", async () => {
      const store = await fixture.node();
      const name = newId();
      const failing = store.transaction(async (db) => {
        await createOrganization(db, { id: newId(), name: "N", slug: newId(), plan: "free" }, 1);
        void put(store, name, "kept").catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 20));
        throw new Error("changed my mind");
      });
      await expect(failing).rejects.toThrow("changed my mind");
      for (let tries = 0; tries < 50 && (await read(store, name)) === undefined; tries++)
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect(await read(store, name)).toBe("kept");
    });

    test("does not make reads wait for a writer", async () => {
      const store = await fixture.node();
      const name = newId();
      await put(store, name, "before");
      await store.transaction(async () => {
        expect(await read(store, name, store.direct)).toBe("before");
      });
    });

    test("is atomic in its own transaction, and concurrent ones are all written", async () => {
      const store = await fixture.node();
      const names = times(10, () => newId());
      await Promise.all(
        names.map((name, index) =>
          store.direct
            .transaction()
            .execute(async (db) => {
              await db.insertInto("platform_state").values({ name, value: "1" }).execute();
              if (index % 2 === 1) throw new Error("undo");
            })
            .catch(() => undefined),
        ),
      );
      const found = await Promise.all(names.map((name) => read(store, name)));
      expect(found).toEqual(names.map((_, index) => (index % 2 === 1 ? undefined : "1")));
    });

    test("that is refused does not affect the next one", async () => {
      const store = await fixture.node();
      const name = newId();
      await put(store, name, "1");
      await expect(put(store, name, "again")).rejects.toThrow();
      await put(store, newId(), "2");
      expect(await read(store, name)).toBe("1");
    });
  });
}

async function put(store: Store, name: string, value: string): Promise<void> {
  await store.direct.insertInto("platform_state").values({ name, value }).execute();
}

async function read({ reads }: Store, name: string, db = reads): Promise<string | undefined> {
  const [row] = await storedRows(db, "platform_state", { name });
  return row?.value;
}
