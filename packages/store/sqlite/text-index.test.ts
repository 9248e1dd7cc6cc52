import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import * as fs from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { freshFolder } from "../../../tests/support/databases.ts";
import { openTestOrganization, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { until } from "../../../tests/support/until.ts";
import { openStore } from "../databases/open.ts";
import type { Store } from "../store.ts";
import { changeLicense } from "../suite/changes.ts";
import { sqliteFiles } from "./files.ts";

setDefaultTimeout(60_000);

const folders: string[] = [];
const stores: Store[] = [];
afterAll(async () => {
  for (const store of stores) await store.close();
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});
const newFolder = () => {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
};
const opened = async (folder: string, trouble: (reason: string) => void = fail): Promise<Store> => {
  const store = await openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard" });
  stores.push(store);
  store.startUpkeep(trouble);
  return store;
};
const closed = async (store: Store) => {
  stores.splice(stores.indexOf(store), 1);
  await store.close();
};
const newOrganization = (store: Store) => openTestOrganization(null, { store });
const findIn =
  ({ store, organizationId }: TestOrganization) =>
  (...words: string[]) =>
    store.searchLicenses(organizationId, words, 100);

describe("text indexes of stores", () => {
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    folder = newFolder();
    store = await opened(folder);
  });

  test("the text index finds a written license at once, before and after it is indexed", async () => {
    const org = await newOrganization(store);
    const find = findIn(org);
    const { id } = await org.license({ key: "early-bird-1" });
    const rename = () => changeLicense(store, id, { search_text: "late worm" });
    const remove = () => store.transaction((db) => db.deleteFrom("licenses").where("id", "=", id).execute());
    for (const [change, early, late] of [
      [async () => undefined, [id], []],
      [rename, [], [id]],
      [remove, [], []],
    ] as const) {
      await change();
      expect([await find("lybir"), await find("e wor")]).toEqual([[...early], [...late]]);
      await settled(store);
      expect([await find("lybir"), await find("e wor")]).toEqual([[...early], [...late]]);
    }
  });

  test("the text index finds texts that contain every word as a whole, in any order, and not just their trigrams", async () => {
    const org = await newOrganization(store);
    const find = findIn(org);
    await org.license({ key: "defabc-abc" });
    const { id: whole } = await org.license({ key: "xabcdefx" });
    const { id } = await org.license({ key: "ada of lovelace" });
    await org.license({ key: "ada of nowhere" });
    // Each of these characters is two of JavaScript's.
    const { id: smiling } = await org.license({ key: "x😀bc😀x" });
    for (const isIndexed of [false, true]) {
      if (isIndexed) await settled(store);
      expect(await find("abcdef")).toEqual([whole]);
      expect(await find("lovelace", "ada")).toEqual([id]);
      expect(await find("lovelace", "of", "a")).toEqual([id]);
      expect(await find("lovelace", "bob")).toEqual([]);
      expect(await find("😀bc😀")).toEqual([smiling]);
      expect(await find("ada", "of")).toHaveLength(2);
    }
  });

  test("the text index gives no result beyond the limit, and never searches other organizations", async () => {
    const org = await newOrganization(store);
    for (let index = 0; index < 12; index++) await org.license({ key: `common-${index}` });
    await settled(store);
    expect(await store.searchLicenses(org.organizationId, ["common"], 12)).toHaveLength(12);
    expect(await store.searchLicenses(org.organizationId, ["common"], 11)).toBeNull();
    expect(await store.searchLicenses("somebody-else", ["common"], 100)).toEqual([]);
  });

  test("the text index takes operators of the search language as literal characters", async () => {
    const org = await newOrganization(store);
    const { id } = await org.license({ key: `a"b OR c* ^d:(e) 'f'` });
    await settled(store);
    for (const term of [`"b or`, " c* ^d", ":(e) '", `a"b or c* ^d:(e) 'f'`])
      expect(await findIn(org)(term)).toEqual([id]);
  });

  test("list reads on the connection of the text index see written rows and cannot write", async () => {
    const { id } = await (await newOrganization(store)).license({ key: "read-me" });
    const licenses = store.listReads.selectFrom("licenses").where("id", "=", id);
    expect(await licenses.select(["id", "expires_at"]).execute()).toEqual([{ id, expires_at: null }]);
    const wrong = licenses.select("no_such" as "id").execute();
    expect(await wrong.catch(String)).toContain("no such column");
    const write = store.listReads.deleteFrom("licenses").execute();
    expect(await write.catch(String)).toContain("cannot be written");
    expect(fs.existsSync(sqliteFiles(folder).search)).toBe(true);
  });

  test("the text index reports no problem if its store is closed while it starts, and then answers nothing", async () => {
    const folder = newFolder();
    const troubles: string[] = [];
    for (let round = 0; round < 12; round++) {
      fs.rmSync(sqliteFiles(folder).search, { force: true });
      const brief = await opened(folder, (reason) => troubles.push(reason));
      // Each time a little later, to cover the whole start of the index.
      await Bun.sleep(round * 8);
      await closed(brief);
      expect(await brief.searchLicenses("organization", ["read"], 10)).toBeNull();
    }
    expect(troubles).toEqual([]);
  });

  test("the text index is not used with an older copy of the database", async () => {
    const folder = newFolder();
    const files = sqliteFiles(folder);
    const before = await opened(folder);
    const org = await newOrganization(before);
    const created = await org.license({ key: "first-of-all" });
    await settled(before);
    const copy = `${files.main}.copy`;
    const original = new DatabaseSync(files.main);
    original.prepare("vacuum into ?").run(copy);
    original.close();
    await before.transaction((db) => db.deleteFrom("licenses").where("id", "=", created.id).execute());
    await settled(before);
    await closed(before);
    for (const end of ["-wal", "-shm"]) fs.rmSync(`${files.main}${end}`, { force: true });
    fs.copyFileSync(copy, files.main);
    const again = await opened(folder);
    await settled(again);
    expect(await again.searchLicenses(org.organizationId, ["firsto"], 10)).toEqual([created.id]);
  });
});

describe("text indexes of stopped servers", () => {
  let used: string;
  let organizationId: string;
  const ids: string[] = [];
  beforeAll(async () => {
    used = newFolder();
    const store = await opened(used);
    const org = await newOrganization(store);
    organizationId = org.organizationId;
    for (let number = 0; number < 60; number++)
      ids.push((await org.license({ key: `sold-${number}-${"x".repeat(200)}` })).id);
    await settled(store);
    await closed(store);
  });
  /** A copy of the folder, whose index is damaged while no server runs. */
  const damaged = (damage: (path: string) => void) => {
    const folder = newFolder();
    fs.cpSync(used, folder, { recursive: true });
    for (const end of ["-wal", "-shm"]) fs.rmSync(`${sqliteFiles(folder).search}${end}`, { force: true });
    damage(sqliteFiles(folder).search);
    return folder;
  };
  const find = (store: Store) => store.searchLicenses(organizationId, ["sold17x"], 10);
  const listed = async (store: Store) =>
    (await store.listReads.selectFrom("licenses").select("id").execute()).length;

  // A damaged index is made again after some seconds, and all of them wait together.
  test("a text index is rebuilt if it is lost or damaged, and lists and searches work meanwhile", async () => {
    const damages: Record<string, (path: string) => void> = {
      "is lost": (path) => fs.rmSync(path),
      "is not a database": (path) => fs.writeFileSync(path, "this is no database ".repeat(2_000)),
      "is a few bytes": (path) => fs.writeFileSync(path, "broken"),
      "is empty": (path) => fs.writeFileSync(path, ""),
      "has bad pages": (path) => overwrite(path, 4096),
      "has a bad page at its end": (path) => overwrite(path, fs.statSync(path).size - 4096),
    };
    const rebuilt = async (what: string, damage: (path: string) => void) => {
      const folder = damaged(damage);
      const troubles: string[] = [];
      const store = await opened(folder, (reason) => troubles.push(reason));
      expect(await listed(store), what).toBe(ids.length);
      await until(`the index that ${what} answers again`, async () => {
        const found = await find(store);
        if (found !== null) expect(found, what).toEqual([ids[17] ?? ""]);
        return found !== null;
      });
      expect(troubles.length, what).toBeLessThanOrEqual(1);
      for (const trouble of troubles)
        expect(trouble, what).toContain("search.db is damaged and will be made again");
      await closed(store);
      const file = new DatabaseSync(sqliteFiles(folder).search);
      expect(file.prepare("pragma integrity_check").get()?.integrity_check, what).toBe("ok");
      file.close();
    };
    await Promise.all(Object.entries(damages).map(([what, damage]) => rebuilt(what, damage)));
  });

  test("lists and searches need no text index, and the reason why it cannot be used is reported once", async () => {
    const folder = damaged((path) => {
      fs.rmSync(path);
      fs.mkdirSync(path);
    });
    const troubles: string[] = [];
    const store = await opened(folder, (reason) => troubles.push(reason));
    await until("the reason is reported", () => troubles.length > 0);
    for (let round = 0; round < 20; round++)
      expect([await listed(store), await find(store)]).toEqual([ids.length, null]);
    expect(troubles).toHaveLength(1);
  });
});

/** Waits until the index has processed everything. */
async function settled(store: Store): Promise<void> {
  await until("the index is up to date", async () => {
    const [change] = await store.reads
      .selectFrom("license_search_changes" as "licenses")
      .selectAll()
      .limit(1)
      .execute();
    return change === undefined && (await store.searchLicenses("nobody", ["nothing"], 1)) !== null;
  });
}

/** Overwrites the file from there to its end. */
function overwrite(path: string, from: number): void {
  const descriptor = fs.openSync(path, "r+");
  fs.writeSync(descriptor, Buffer.alloc(fs.statSync(path).size - from, 0xff), 0, undefined, from);
  fs.closeSync(descriptor);
}

function fail(reason: string): never {
  throw new Error(reason);
}
