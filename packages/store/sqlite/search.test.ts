import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { freshFolder } from "../../../tests/support/databases.ts";
import { openSeller } from "../../../tests/support/seller.ts";
import { openStore } from "../open.ts";
import { sqliteFiles } from "./files.ts";

test("a copy made by vacuum finds the same licenses: row numbers stay, gaps and all", async () => {
  const [folder, copy] = [freshFolder(), freshFolder()];
  const seller = await openSeller({ kind: "sqlite", folder });
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, index) => seller.license({ key: `number-${index}-end` })),
  );
  await seller.store.transaction(async (db) => {
    const gone = made.slice(0, 10).map(({ id }) => id);
    await db.deleteFrom("licenses").where("id", "in", gone).execute();
    await db
      .updateTable("licenses")
      .set({ search_text: "something else" })
      .where("id", "=", made[11]?.id ?? "")
      .execute();
  });
  await seller.store.close();
  const original = new DatabaseSync(sqliteFiles(folder).main);
  original.prepare("vacuum into ?").run(sqliteFiles(copy).main);
  original.close();

  const store = await openStore(
    { kind: "sqlite", folder: copy },
    { encryptionKey: null, durability: "standard" },
  );
  const find = (term: string) => store.searchLicenses(seller.organizationId, term, 100);
  expect(await find("number-15-e")).toEqual([made[15]?.id ?? ""]);
  expect(await find("number-3-e")).toEqual([]);
  expect(await find("number-11")).toEqual([]);
  expect(await find("thing el")).toEqual([made[11]?.id ?? ""]);
  expect(await find("number")).toHaveLength(9);
  await store.close();
  for (const each of [folder, copy]) rmSync(each, { recursive: true, force: true });
});
