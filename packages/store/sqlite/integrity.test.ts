import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { matchForm } from "@countersign/domain/licenses/key";
import { freshFolder } from "../../../tests/support/databases.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { inspectDatabase } from "../databases/inspect.ts";
import { openStore } from "../databases/open.ts";
import { checkTables } from "./integrity.ts";

const never = new AbortController().signal;

/** A license key is changed in the index alone. The license exists, and no validation finds it. */
let folder: string;
beforeAll(async () => {
  folder = freshFolder();
  const org = await openTestOrganization({ kind: "sqlite", folder });
  const { key } = await org.license();
  await org.store.close();
  const path = join(folder, "countersign.db");
  const database = new DatabaseSync(path);
  const pages = database.prepare("select pgoffset, pgsize from dbstat where name = 'licenses_by_key'").all();
  database.close();
  const bytes = readFileSync(path);
  for (const { pgoffset, pgsize } of pages) {
    const at = bytes.indexOf(matchForm(key), Number(pgoffset));
    if (at >= 0 && at < Number(pgoffset) + Number(pgsize)) bytes[at] = (bytes[at] ?? 0) ^ 1;
  }
  writeFileSync(path, bytes);
});

test("an index with one changed byte, which the quick check accepts, is found by the doctor's check", async () => {
  const database = new DatabaseSync(join(folder, "countersign.db"));
  expect(database.prepare("pragma quick_check").get()).toEqual({ quick_check: "ok" });
  database.close();
  const found = await inspectDatabase({ kind: "sqlite", folder });
  expect(found?.damage.join()).toContain("licenses_by_key");
});

test("a server checks its files table by table, and continues after the last one", () => {
  const whole = checkTables(folder, null, 60_000);
  const names = whole.tables.map(([name]) => name);
  expect(whole.isLast).toBe(true);
  expect(names).toContain("journal.db ip_sightings");
  expect(names).toEqual(names.toSorted());
  expect(new Map(whole.tables).get("countersign.db licenses")).toContain("licenses_by_key");
  expect(whole.tables.filter(([, damage]) => damage !== null)).toHaveLength(1);
  const stepwise: string[] = [];
  for (let isLast = false; !isLast; ) {
    const part = checkTables(folder, stepwise.at(-1) ?? null, 0);
    expect(part.tables).toHaveLength(1);
    stepwise.push(...part.tables.map(([name]) => name));
    ({ isLast } = part);
  }
  expect(stepwise).toEqual(names);
});

test("the check runs in another process beside an open store, and ends at once when it is stopped", async () => {
  const location = { kind: "sqlite", folder: freshFolder() } as const;
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  const part = await store.checkIntegrity(null, 60_000, never);
  expect(part?.isLast).toBe(true);
  expect(part?.tables.every(([, damage]) => damage === null)).toBe(true);
  expect(store.checkIntegrity(null, 60_000, AbortSignal.abort())).rejects.toThrow();
  await store.close();
});
