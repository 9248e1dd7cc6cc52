import { afterEach, expect, test } from "bun:test";
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { freshFolder } from "../../../tests/support/databases.ts";
import { openTestOrganization, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { until } from "../../../tests/support/until.ts";
import { openStore } from "../open.ts";
import type { Store } from "../store.ts";
import { sqliteFiles } from "./files.ts";
import { trigrams } from "./text-index.ts";

const folders: string[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("a written license is found at once, before and after it is indexed", async () => {
  const { org, find } = await openSearchableStore();
  const { id } = await org.license({ key: "early-bird-1" });
  expect(await find("lybir")).toEqual([id]);
  await settled(org.store);
  expect(await find("lybir")).toEqual([id]);
  await org.store.transaction(async (db) => {
    await db.updateTable("licenses").set({ search_text: "late worm" }).where("id", "=", id).execute();
  });
  expect(await find("lybir")).toEqual([]);
  expect(await find("e wor")).toEqual([id]);
  await settled(org.store);
  expect(await find("lybir")).toEqual([]);
  expect(await find("e wor")).toEqual([id]);
  await org.store.transaction(async (db) => {
    await db.deleteFrom("licenses").where("id", "=", id).execute();
  });
  expect(await find("e wor")).toEqual([]);
  await settled(org.store);
  expect(await find("e wor")).toEqual([]);
});

test("a store that is closed while its index starts reports no problem", async () => {
  const { folder, org } = await openSearchableStore();
  await closed(org.store);
  const troubles: string[] = [];
  for (let round = 0; round < 12; round++) {
    rmSync(sqliteFiles(folder).search, { force: true });
    const store = await openStore(
      { kind: "sqlite", folder },
      { encryptionKey: null, durability: "standard" },
    );
    store.startUpkeep((reason) => troubles.push(reason));
    // Each time a little later, to cover the whole start of the index.
    await Bun.sleep(round * 8);
    await store.close();
  }
  expect(troubles).toEqual([]);
});

test("a text matches only if it contains the whole term, not just its trigrams", async () => {
  const { org, find } = await openSearchableStore();
  await org.license({ key: "defabc-abc" });
  const { id } = await org.license({ key: "xabcdefx" });
  await settled(org.store);
  expect(await find("abcdef")).toEqual([id]);
});

test("a text matches if it contains every word, in any order", async () => {
  const { org } = await openSearchableStore();
  const { id } = await org.license({ key: "ada of lovelace" });
  await org.license({ key: "ada of nowhere" });
  const find = (...words: string[]) => org.store.searchLicenses(org.organizationId, words, 100);
  for (const isTakenIn of [false, true]) {
    if (isTakenIn) await settled(org.store);
    expect(await find("lovelace", "ada")).toEqual([id]);
    expect(await find("lovelace", "of", "a")).toEqual([id]);
    expect(await find("lovelace", "bob")).toEqual([]);
    expect(await find("ada", "of")).toHaveLength(2);
  }
});

test("a search returns null beyond the limit, and never searches other organizations", async () => {
  const { org, find } = await openSearchableStore();
  for (let index = 0; index < 12; index++) await org.license({ key: `common-${index}` });
  await settled(org.store);
  expect(await find("common", 12)).toHaveLength(12);
  expect(await find("common", 11)).toBeNull();
  expect(await org.store.searchLicenses("somebody-else", ["common"], 100)).toEqual([]);
});

test("operators of the search language are literal characters", async () => {
  const { org, find } = await openSearchableStore();
  const { id } = await org.license({ key: `a"b OR c* ^d:(e) 'f'` });
  await settled(org.store);
  for (const term of [`"b or`, " c* ^d", ":(e) '", `a"b or c* ^d:(e) 'f'`])
    expect(await find(term)).toEqual([id]);
});

test.each([
  ["lost", (search: string) => rmSync(search)],
  ["empty", (search: string) => writeFileSync(search, "")],
])("an index that is %s is rebuilt", async (_, damage) => {
  const { org, folder } = await openSearchableStore();
  const created = await org.license({ key: "still-there" });
  await settled(org.store);
  await closed(org.store);
  for (const end of ["-wal", "-shm"]) rmSync(`${sqliteFiles(folder).search}${end}`, { force: true });
  damage(sqliteFiles(folder).search);
  const again = await reopened(folder);
  await settled(again);
  expect(await again.searchLicenses(org.organizationId, ["stillt"], 10)).toEqual([created.id]);
});

test("an older copy of the database is not used with a newer index", async () => {
  const { org, folder } = await openSearchableStore();
  const created = await org.license({ key: "first-of-all" });
  await settled(org.store);
  const files = sqliteFiles(folder);
  const copy = `${files.main}.copy`;
  const original = new DatabaseSync(files.main);
  original.prepare("vacuum into ?").run(copy);
  original.close();
  await org.store.transaction(async (db) => {
    await db.deleteFrom("licenses").where("id", "=", created.id).execute();
  });
  await settled(org.store);
  await closed(org.store);
  for (const end of ["-wal", "-shm"]) rmSync(`${files.main}${end}`, { force: true });
  copyFileSync(copy, files.main);
  const again = await reopened(folder);
  await settled(again);
  expect(await again.searchLicenses(org.organizationId, ["firsto"], 10)).toEqual([created.id]);
});

test("list reads see written rows and cannot write", async () => {
  const { org, folder } = await openSearchableStore();
  const { store } = org;
  const { id } = await org.license({ key: "read-me" });
  const read = store.listReads.selectFrom("licenses").select(["id", "expires_at"]).execute();
  expect(await read).toEqual([{ id, expires_at: null }]);
  const wrong = store.listReads
    .selectFrom("licenses")
    .select("no_such" as "id")
    .execute();
  expect(await wrong.catch(String)).toContain("no such column");
  const write = store.listReads.deleteFrom("licenses").execute();
  expect(await write.catch(String)).toContain("cannot be written");
  expect(existsSync(sqliteFiles(folder).search)).toBe(true);
  await closed(store);
  expect(await store.searchLicenses(org.organizationId, ["read"], 10)).toBeNull();
});

test("the trigrams of a term are complete, by characters and not by surrogate halves", () => {
  expect(trigrams("abc")).toEqual(["abc"]);
  expect(trigrams("abcde")).toEqual(["abc", "bcd", "cde"]);
  expect(trigrams("😀bc😀")).toEqual(["😀bc", "bc😀"]);
});

async function openSearchableStore(): Promise<{
  org: TestOrganization;
  folder: string;
  find: (term: string, most?: number) => Promise<readonly string[] | null>;
}> {
  const folder = freshFolder();
  folders.push(folder);
  const org = await openTestOrganization({ kind: "sqlite", folder });
  stores.push(org.store);
  org.store.startUpkeep(fail);
  await settled(org.store);
  return {
    org,
    folder,
    find: (term, most = 100) => org.store.searchLicenses(org.organizationId, [term], most),
  };
}

async function reopened(folder: string): Promise<Store> {
  const store = await openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard" });
  stores.push(store);
  store.startUpkeep(fail);
  return store;
}

async function closed(store: Store): Promise<void> {
  stores.splice(stores.indexOf(store), 1);
  await store.close();
}

/** Waits until the index has processed everything. */
async function settled(store: Store): Promise<void> {
  await until("the index is up to date", async () => {
    const { count } = (await store.reads
      .selectFrom("license_search_changes" as "licenses")
      .select((is) => is.fn.countAll().as("count"))
      .executeTakeFirstOrThrow()) as { count: number };
    return count === 0 && (await store.searchLicenses("nobody", ["nothing"], 1)) !== null;
  });
}

function fail(reason: string): never {
  throw new Error(reason);
}
