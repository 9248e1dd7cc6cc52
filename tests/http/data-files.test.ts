import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { apiOf } from "../support/api.ts";
import { freshFolder } from "../support/databases.ts";
import { runCountersign, startServerProcess } from "../support/server-process.ts";
import { openTestOrganization, type TestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Row {
  readonly what: string;
  harm(folder: string): void;
  readonly names: readonly string[];
}

const lost: readonly Row[] = [
  {
    what: "missing next to the other files",
    harm: (folder) => removeMain(folder),
    names: ["countersign.db is missing", "journal.db and search.db", "COUNTERSIGN_DATA"],
  },
  {
    what: "missing next to the request log",
    harm: (folder) => {
      removeMain(folder);
      rmSync(join(folder, "search.db"));
    },
    names: ["countersign.db is missing", "journal.db", "countersign restore"],
  },
  {
    what: "missing next to the text index",
    harm: (folder) => {
      removeMain(folder);
      rmSync(join(folder, "journal.db"));
    },
    names: ["countersign.db is missing", "search.db"],
  },
  {
    what: "empty next to the request log",
    harm: (folder) => truncateSync(join(folder, "countersign.db")),
    names: ["countersign.db is empty", "journal.db"],
  },
  {
    what: "missing next to its own write-ahead log",
    harm: (folder) => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
      writeFileSync(join(folder, "countersign.db-wal"), "x");
    },
    names: ["countersign.db is missing", "countersign.db-wal"],
  },
  {
    what: "truncated",
    harm: (folder) => truncateSync(join(folder, "countersign.db"), 40_960),
    names: ["countersign.db is damaged", "countersign restore"],
  },
  {
    what: "overwritten in the middle",
    harm: (folder) => overwrite(join(folder, "countersign.db"), 12_288, 8_192),
    names: ["countersign.db is damaged", "countersign restore"],
  },
  {
    what: "overwritten at the start",
    harm: (folder) => overwrite(join(folder, "countersign.db"), 0, 100),
    names: ["countersign.db is damaged", "file is not a database"],
  },
];

describe("a database that is", () => {
  for (const { what, harm, names } of lost) {
    test(`${what}: the start fails with one line, creates nothing, and the doctor reports it`, async () => {
      const { folder } = await usedFolder();
      harm(folder);
      const before = readdirSync(folder).filter((name) => name !== "owner.lock");
      const environment = { COUNTERSIGN_DATA: folder, PORT: "0" };
      const { code, stdout, stderr } = await runCountersign(["serve"], environment);
      for (const name of names) expect(stderr).toContain(name);
      expect({ code, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({
        code: 1,
        stdout: "",
        lines: 1,
      });
      const doctor = await runCountersign(["doctor"], environment);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toContain("countersign.db");
      const isNew = (name: string) => !/^owner\.lock|-(?:wal|shm)$/.test(name) && !before.includes(name);
      expect(readdirSync(folder).filter(isNew)).toEqual([]);
    });
  }
});

const damages: readonly (readonly [string, (path: string) => void])[] = [
  ["is not a database", (path) => writeFileSync(path, "no database ".repeat(1_000))],
  ["was truncated", (path) => truncateSync(path, 8_192)],
  ["has a bad page", (path) => overwrite(path, 4_096, 8_192)],
];

describe("a request log that", () => {
  for (const [what, damage] of damages) {
    test(`${what}: is set aside with a warning, and validations continue`, async () => {
      const { folder, org, key } = await usedFolder();
      damage(join(folder, "journal.db"));
      const doctor = await runCountersign(["doctor"], { COUNTERSIGN_DATA: folder });
      expect(doctor.stdout).toContain("journal.db");
      expect(doctor.code).toBe(1);
      const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
      expect(server.output()).toContain('"level":"error"');
      expect(server.output()).toContain("The request log was damaged. It was set aside");
      const answer = await apiOf(server.url, org.apiKey).validate({ license_key: key });
      expect(answer.body.status).toBe("active");
      expect(await server.stop()).toBe(0);
      expect(readdirSync(folder).some((name) => name.startsWith("journal.db.damaged-"))).toBe(true);
      expect((await runCountersign(["doctor"], { COUNTERSIGN_DATA: folder })).code).toBe(0);
    });
  }
});

test("the doctor reports a damaged text index and says that the server rebuilds it", async () => {
  const { folder } = await usedFolder();
  writeFileSync(join(folder, "search.db"), "no database ".repeat(1_000));
  const { stdout } = await runCountersign(["doctor"], { COUNTERSIGN_DATA: folder });
  expect(stdout).toContain("search.db");
  expect(stdout).toContain("rebuilds it");
});

describe.skipIf(process.platform === "win32")("only the owner can read the files", () => {
  for (const umask of [0o000, 0o022, 0o077]) {
    test(`with umask ${umask.toString(8)}`, async () => {
      const folder = join(newFolder(), "made", "data");
      const server = await under(umask, () => startServerProcess({ COUNTERSIGN_DATA: folder }));
      await until("the text index exists", () => existsSync(join(folder, "search.db-wal")));
      expect(modeOf(folder)).toBe(0o700);
      const names = readdirSync(folder);
      expect(names).toEqual(
        expect.arrayContaining([
          "countersign.db",
          "journal.db",
          "search.db",
          "owner.lock",
          "countersign.db-wal",
        ]),
      );
      for (const name of names) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600]);
      expect(await server.stop()).toBe(0);
    });
  }

  test("the doctor reports files that others can read, and the next start restricts them", async () => {
    const { folder } = await usedFolder();
    chmodSync(folder, 0o700);
    const names = readdirSync(folder);
    for (const name of names) chmodSync(join(folder, name), 0o644);
    const doctor = await runCountersign(["doctor"], { COUNTERSIGN_DATA: folder });
    expect(doctor.stdout).toContain("countersign.db");
    expect(doctor.stdout).toContain("Other users of this machine can read");
    const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
    await until("the text index is restricted, too", () => modeOf(join(folder, "search.db")) === 0o600);
    for (const name of readdirSync(folder)) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600]);
    await server.stop();
  });

  test("only the owner can read a backup and the files restored from it", async () => {
    const { folder } = await usedFolder();
    const backup = join(newFolder(), "backup");
    const environment = { COUNTERSIGN_DATA: folder };
    const backedUp = await under(0, () => runCountersign(["backup", backup], environment));
    expect(backedUp.code).toBe(0);
    expect(modeOf(backup)).toBe(0o700);
    for (const name of readdirSync(backup)) {
      expect([name, modeOf(join(backup, name))]).toEqual([name, 0o600]);
      chmodSync(join(backup, name), 0o644);
    }
    const restored = await under(0, () => runCountersign(["restore", backup, "--force"], environment));
    expect(restored.code).toBe(0);
    for (const name of readdirSync(folder)) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600]);
  });
});

function newFolder(): string {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
}

/** The files of a stopped server that had created licenses. */
async function usedFolder(): Promise<{ folder: string; org: TestOrganization; key: string }> {
  const folder = newFolder();
  const org = await openTestOrganization({ kind: "sqlite", folder });
  const { key } = await org.license();
  await org.store.close();
  const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
  await apiOf(server.url, org.apiKey).validate({ license_key: key });
  await server.stop();
  expect(existsSync(join(folder, "search.db"))).toBe(true);
  return { folder, org, key };
}

function removeMain(folder: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `countersign.db${end}`), { force: true });
}

function overwrite(path: string, from: number, bytes: number): void {
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, Buffer.alloc(bytes, 0xff), 0, undefined, from);
  closeSync(descriptor);
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** A child process inherits the umask. */
async function under<T>(umask: number, start: () => Promise<T>): Promise<T> {
  const own = process.umask(umask);
  const started = start();
  process.umask(own);
  return started;
}
