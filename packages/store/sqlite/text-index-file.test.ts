import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { freshFolder } from "../../../tests/support/databases.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { until } from "../../../tests/support/until.ts";
import { openStore } from "../open.ts";
import type { Store } from "../store.ts";
import { sqliteFiles } from "./files.ts";

setDefaultTimeout(60_000);

const folders: string[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Damage to the file while no server runs. */
const damages: readonly (readonly [string, (path: string) => void])[] = [
  ["is not a database", (path) => writeFileSync(path, "this is no database ".repeat(2_000))],
  ["is a few bytes", (path) => writeFileSync(path, "broken")],
  ["was truncated", (path) => writeFileSync(path, new Uint8Array(0))],
  ["has bad pages", (path) => overwrite(path, 4096)],
  ["has a bad page at its end", (path) => overwrite(path, statSync(path).size - 4096)],
];

for (const [what, damage] of damages) {
  test(`a text index that ${what} is rebuilt, and lists and searches work meanwhile`, async () => {
    const { folder, organizationId, ids } = await filledFolder();
    damage(sqliteFiles(folder).search);
    const troubles: string[] = [];
    const store = await opened(folder, troubles);
    const rows = await store.listReads.selectFrom("licenses").select("id").execute();
    expect(rows).toHaveLength(ids.length);
    await until("the index answers again", async () => {
      const found = await store.searchLicenses(organizationId, ["sold17x"], 10);
      if (found !== null) expect(found).toEqual([ids[17] ?? ""]);
      return found !== null;
    });
    expect(troubles.length).toBeLessThanOrEqual(1);
    for (const trouble of troubles) expect(trouble).toContain("search.db is damaged and will be made again");
    await closed(store);
    const file = new DatabaseSync(sqliteFiles(folder).search);
    expect(file.prepare("pragma integrity_check").get()?.integrity_check).toBe("ok");
    file.close();
  });
}

test("lists and searches work without a text index, and the reason is reported once", async () => {
  const { folder, organizationId, ids } = await filledFolder();
  rmSync(sqliteFiles(folder).search);
  mkdirSync(sqliteFiles(folder).search);
  const troubles: string[] = [];
  const store = await opened(folder, troubles);
  await until("the reason is reported", () => troubles.length > 0);
  for (let round = 0; round < 20; round++) {
    expect(await store.listReads.selectFrom("licenses").select("id").execute()).toHaveLength(ids.length);
    expect(await store.searchLicenses(organizationId, ["sold17x"], 10)).toBeNull();
  }
  expect(troubles).toHaveLength(1);
});

async function filledFolder() {
  const folder = freshFolder();
  folders.push(folder);
  const org = await openTestOrganization({ kind: "sqlite", folder });
  const ids: string[] = [];
  for (let number = 0; number < 60; number++)
    ids.push((await org.license({ key: `sold-${number}-${"x".repeat(200)}` })).id);
  org.store.startUpkeep(() => {});
  await until("the index is complete", async () => {
    const found = await org.store.searchLicenses(org.organizationId, ["sold17x"], 10);
    return found !== null && (await waiting(org.store)) === 0;
  });
  await org.store.close();
  return { folder, organizationId: org.organizationId, ids };
}

async function waiting(store: Store): Promise<number> {
  const { count } = (await store.reads
    .selectFrom("license_search_changes" as "licenses")
    .select((is) => is.fn.countAll().as("count"))
    .executeTakeFirstOrThrow()) as { count: number };
  return count;
}

async function opened(folder: string, troubles: string[]): Promise<Store> {
  const store = await openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard" });
  stores.push(store);
  store.startUpkeep((reason) => troubles.push(reason));
  return store;
}

async function closed(store: Store): Promise<void> {
  stores.splice(stores.indexOf(store), 1);
  await store.close();
}

/** Overwrites the file from there to its end. */
function overwrite(path: string, from: number): void {
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, Buffer.alloc(statSync(path).size - from, 0xff), 0, undefined, from);
  closeSync(descriptor);
}
