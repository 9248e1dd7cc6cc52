import { describe, expect, test } from "bun:test";
import { newId } from "../../../tests/support/test-organization.ts";
import { prepared } from "../prepared-query.ts";
import { createOrganization } from "../queries/organizations/organizations.ts";
import type { OrganizationRow } from "../tables/organizations.ts";
import { times } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

const named = prepared((db, ids: readonly string[], after: string) =>
  db
    .selectFrom("organizations")
    .select(["id", "name", "suspended_at"])
    .where("id", "in", ids)
    .where("name", ">", after)
    .orderBy("name"),
);

const change = prepared((db, id: string, columns: Partial<OrganizationRow>) =>
  db.updateTable("organizations").set(columns).where("id", "=", id),
);

/** A body that omits a member produces this. */
const undefinedColumn = { suspended_at: undefined } as unknown as Partial<OrganizationRow>;

export function preparedQueries(fixture: StoreFixture) {
  describe("prepared queries", () => {
    /** A store, and the IDs of new organizations with the names "name 000" and so on. */
    const arrange = async (count: number) => {
      const store = await fixture.node();
      const ids = times(count, () => newId());
      await store.transaction(async (db) => {
        for (const [index, id] of ids.entries()) {
          const name = `name ${String(index).padStart(3, "0")}`;
          await createOrganization(db, { id, name, slug: id, plan: "free" }, 1);
        }
      });
      return { store, ids, id: ids[0] ?? "" };
    };

    test("a prepared query uses the values of each call, for lists of every length", async () => {
      const { store, ids } = await arrange(130);
      for (const length of [1, 2, 3, 5, 64, 128, 129, 130, 3, 1]) {
        const some = ids.slice(-length);
        const rows = await named.all(store.reads, some, "");
        expect(rows.map((row) => row.id)).toEqual(some);
      }
      expect((await named.first(store.reads, ids, "name 100"))?.name).toBe("name 101");
      expect(await named.first(store.reads, ids, "z")).toBeUndefined();
    });

    test("a prepared query writes the specified columns and leaves the others and other rows unchanged", async () => {
      const { store, ids, id } = await arrange(2);
      const write = (columns: Partial<OrganizationRow>, of = id) =>
        store.transaction((db) => change.run(db, of, columns));
      expect(await write({ name: "z first", suspended_at: 5 })).toBe(1);
      expect(await write({ name: "z second", ...undefinedColumn })).toBe(1);
      const other = { name: "name 001", suspended_at: null };
      const changed = { name: "z second", suspended_at: 5 };
      expect(await named.all(store.reads, ids, "")).toMatchObject([other, changed]);
      expect(await write({ suspended_at: null })).toBe(1);
      expect(await write({ name: "nobody" }, newId())).toBe(0);
      expect(await named.all(store.reads, ids, "")).toMatchObject([
        other,
        { ...changed, suspended_at: null },
      ]);
    });

    test("a prepared query sees its transaction's writes inside it, and only committed rows outside", async () => {
      const { store, id } = await arrange(1);
      const name = async (db: typeof store.reads) => (await named.first(db, [id], ""))?.name;
      await store.transaction(async (db) => {
        await change.run(db, id, { name: "within" });
        expect(await name(db)).toBe("within");
        expect(await name(store.reads)).toBe("name 000");
      });
      expect(await name(store.reads)).toBe("within");
    });

    test("a prepared query that reads or drops a value is refused at its first use", async () => {
      const { reads } = await fixture.node();
      const looking = prepared((db, prefix: string) =>
        db.selectFrom("organizations").select("id").where("name", "like", `${prefix}%`),
      );
      expect(await looking.all(reads, "a").catch(String)).toContain("must not look at its values");
      const dropping = prepared((db, _: string) => db.selectFrom("organizations").select("id").limit(1));
      expect(await dropping.all(reads, "a").catch(String)).toContain("left out a value");
    });
  });
}
