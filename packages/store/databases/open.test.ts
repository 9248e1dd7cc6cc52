import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import * as fs from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { freshFolder } from "../../../tests/support/databases.ts";
import { skipWithReason } from "../../../tests/support/skip.ts";
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from "../../../tests/support/small-disk.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { StoreProblem } from "../errors/problem.ts";
import type { DatabaseLocation } from "../store.ts";
import { inspectDatabase } from "./inspect.ts";
import { openStore, type StoreOptions } from "./open.ts";

setDefaultTimeout(60_000);

const folders: string[] = [];
const newFolder = () => {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

const open = (location: DatabaseLocation, options: Partial<StoreOptions> = {}) =>
  openStore(location, { encryptionKey: null, durability: "standard", soleServer: true, ...options });

/** The message of the problem, which is one sentence or more on one line. */
async function problemOf(opening: Promise<unknown>): Promise<string> {
  const problem = await opening.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(StoreProblem);
  const { message } = problem as StoreProblem;
  expect(message).not.toContain("\n");
  expect(message).not.toContain("hunter22");
  return message;
}

let used = "";
beforeAll(async () => {
  used = newFolder();
  const org = await openTestOrganization({ kind: "sqlite", folder: used });
  await org.license();
  await org.store.close();
  fs.writeFileSync(join(used, "search.db"), "the text index");
});

/** A copy of a folder that a server has used. */
function usedFolder(): string {
  const folder = newFolder();
  fs.cpSync(used, folder, { recursive: true });
  return folder;
}

function overwrite(path: string, from: number, bytes: number): void {
  const descriptor = fs.openSync(path, "r+");
  fs.writeSync(descriptor, Buffer.alloc(bytes, 0xff), 0, undefined, from);
  fs.closeSync(descriptor);
}

describe("unusable SQLite databases", () => {
  const damaged = ["countersign.db is damaged", "countersign restore"];
  const remove = (folder: string, ...others: string[]) => {
    for (const name of ["countersign.db", ...others]) fs.rmSync(join(folder, name), { force: true });
  };
  test.each<[string, (folder: string, main: string) => void, readonly string[]]>([
    [
      "missing next to the other files",
      (folder) => remove(folder),
      ["countersign.db is missing", "journal.db and search.db", "COUNTERSIGN_DATA"],
    ],
    [
      "missing next to the text index",
      (folder) => remove(folder, "journal.db"),
      ["countersign.db is missing", "search.db"],
    ],
    [
      "missing next to its own write-ahead log",
      (folder) => {
        remove(folder, "journal.db", "search.db");
        fs.writeFileSync(join(folder, "countersign.db-wal"), "x");
      },
      ["countersign.db is missing", "countersign.db-wal"],
    ],
    [
      "empty next to the request log",
      (_, main) => fs.truncateSync(main),
      ["countersign.db is empty", "journal.db"],
    ],
    ["truncated", (_, main) => fs.truncateSync(main, 40_960), damaged],
    ["overwritten in the middle", (_, main) => overwrite(main, 12_288, 8_192), damaged],
    [
      "overwritten at the start",
      (_, main) => overwrite(main, 0, 100),
      ["countersign.db is damaged", "file is not a database"],
    ],
  ])("a SQLite database that is %s is not opened, and nothing is created", async (_, harm, named) => {
    const folder = usedFolder();
    harm(folder, join(folder, "countersign.db"));
    const before = fs.readdirSync(folder);
    const location = { kind: "sqlite", folder } as const;
    const message = await problemOf(open(location));
    for (const text of [...named, folder]) expect(message).toContain(text);
    // The doctor finds it, too.
    const inspected = await inspectDatabase(location).catch((error: unknown) => error);
    if (!(inspected instanceof StoreProblem))
      expect((inspected as { damage: string[] }).damage).not.toEqual([]);
    const created = fs.readdirSync(folder).filter((name) => !before.includes(name));
    expect(created.filter((name) => !/^owner\.lock|-(?:wal|shm)$/.test(name))).toEqual([]);
  });
});

test.each<[string, (path: string) => void]>([
  ["is not a database", (path) => fs.writeFileSync(path, "no database ".repeat(1_000))],
  ["was truncated", (path) => fs.truncateSync(path, 8_192)],
  ["has a bad page", (path) => overwrite(path, 4_096, 8_192)],
])("a request log that %s is set aside with a reason, and a new one takes its place", async (_, damage) => {
  const folder = usedFolder();
  const location = { kind: "sqlite", folder } as const;
  damage(join(folder, "journal.db"));
  expect((await inspectDatabase(location))?.files?.journalDamage).not.toBeNull();
  const reports: string[][] = [];
  const store = await open(location, { journalSetAside: (...report) => reports.push(report) });
  await store.close();
  const aside = fs.readdirSync(folder).find((name) => /^journal\.db\.damaged-\w+$/.test(name)) ?? "";
  expect(reports).toEqual([[join(folder, aside), expect.stringMatching(/\w+\.$/)]]);
  expect((await inspectDatabase(location))?.files?.journalDamage).toBeNull();
});

test("a damaged text index is found", async () => {
  const { files } = (await inspectDatabase({ kind: "sqlite", folder: usedFolder() })) ?? {};
  expect(files?.searchDamage).not.toBeNull();
});

test.each<[string, (folder: string) => string, string]>([
  ["below a file", (folder) => join(folder, "file", "data"), "file/data"],
  ["that is a file", (folder) => join(folder, "file"), "/file"],
])("a data folder %s is refused, and its setting is named", async (_, choose, named) => {
  const folder = newFolder();
  fs.writeFileSync(join(folder, "file"), "a file\n");
  const message = await problemOf(open({ kind: "sqlite", folder: choose(folder) }));
  for (const text of ["COUNTERSIGN_DATA", `${named} is a file, or its path leads through one`])
    expect(message).toContain(text);
});

describe("data folders on a small disk", () => {
  const missing = whyNoSmallDisk();
  if (missing !== null) return skipWithReason("data folders on a small disk", missing);
  test.each<[string, (disk: SmallDisk) => void, readonly string[]]>([
    ["is read-only", (disk) => disk.makeReadOnly(), ["file system is read-only", "COUNTERSIGN_DATA"]],
    ["is full", (disk) => disk.fill(), ["disk is full", "Free up space"]],
    [
      "has no space for a database",
      (disk) => {
        disk.fill();
        fs.truncateSync(join(disk.folder, "filler"), fs.statSync(join(disk.folder, "filler")).size - 200_000);
      },
      ["disk is full", "Free up space"],
    ],
  ])("a first start on a disk that %s says what to do", async (_, prepare, texts) => {
    const disk = mountSmallDisk();
    try {
      prepare(disk);
      const message = await problemOf(open({ kind: "sqlite", folder: join(disk.folder, "data") }));
      for (const text of texts) expect(message).toContain(text);
    } finally {
      disk.remove();
    }
  });
});

describe("unusable PostgreSQL servers", () => {
  let server: Server;
  let port = 0;
  beforeAll(async () => {
    server = createServer((socket) =>
      socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  });
  afterAll(() => void server.close());

  test.each<[string, () => number]>([
    ["nothing listens on its port", () => 1],
    ["another program listens on its port", () => port],
  ])("a problem with PostgreSQL is reported without the password if %s", async (_, choose) => {
    const url = `postgres://user:hunter22@127.0.0.1:${choose()}/countersign`;
    const message = await problemOf(open({ kind: "postgres", url }));
    for (const text of ["Check DATABASE_URL", "PostgreSQL"]) expect(message).toContain(text);
  });
});
