import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { apiOf } from "../support/api.ts";
import { freshFolder } from "../support/databases.ts";
import { runCountersign, startServerProcess } from "../support/server-process.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const folders: string[] = [];
const newFolder = () => {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The files of a stopped server. */
let used = "";
let apiKey = "";
let licenseKey = "";
beforeAll(async () => {
  used = newFolder();
  const org = await openTestOrganization({ kind: "sqlite", folder: used });
  apiKey = org.apiKey;
  licenseKey = (await org.license()).key;
  await org.store.close();
  const server = await startServerProcess({ COUNTERSIGN_DATA: used });
  await apiOf(server.url, apiKey).validate({ license_key: licenseKey });
  await server.stop();
  expect(existsSync(join(used, "search.db"))).toBe(true);
});

function usedFolder(): string {
  const folder = newFolder();
  cpSync(used, folder, { recursive: true });
  return folder;
}

const doctor = (folder: string) => runCountersign(["doctor"], { COUNTERSIGN_DATA: folder });

/** Every kind of damage is tested in packages/store/open.test.ts. */
test.each<[string, (main: string) => void, string]>([
  ["missing", (main) => rmSync(main), "countersign.db is missing"],
  ["damaged", (main) => truncateSync(main, 40_960), "countersign.db is damaged"],
])("a server does not start if its database is %s, and the doctor reports it", async (_, harm, named) => {
  const folder = usedFolder();
  harm(join(folder, "countersign.db"));
  const started = await runCountersign(["serve"], { COUNTERSIGN_DATA: folder, PORT: "0" });
  expect(started.stderr).toContain(named);
  expect([started.code, started.stdout, started.stderr.trimEnd().split("\n").length]).toEqual([1, "", 1]);
  const found = await doctor(folder);
  expect(found.code).toBe(1);
  expect(found.stdout).toContain("countersign.db");
});

test("a damaged request log is set aside with a warning, and validations continue", async () => {
  const folder = usedFolder();
  for (const name of ["journal.db", "search.db"])
    writeFileSync(join(folder, name), "no database ".repeat(1_000));
  const { code, stdout } = await doctor(folder);
  for (const text of ["journal.db", "search.db", "rebuilds it"]) expect(stdout).toContain(text);
  expect(code).toBe(1);
  const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
  expect(server.output()).toContain('"level":"error"');
  expect(server.output()).toContain("The request log was damaged. It was set aside");
  const answer = await apiOf(server.url, apiKey).validate({ license_key: licenseKey });
  expect(answer.body.status).toBe("active");
  expect(await server.stop()).toBe(0);
  expect(readdirSync(folder).some((name) => name.startsWith("journal.db.damaged-"))).toBe(true);
  expect((await doctor(folder)).code).toBe(0);
});

describe.skipIf(process.platform === "win32")("only the owner can read", () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const expectPrivate = (folder: string) => {
    for (const name of readdirSync(folder)) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600]);
  };
  const publish = (folder: string) => {
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
  };
  /** Without a umask, which a child process inherits. */
  const withoutUmask = async <T>(run: () => Promise<T>): Promise<T> => {
    const own = process.umask(0);
    const started = run();
    process.umask(own);
    return started;
  };

  test("the files of a new installation, whatever the umask", async () => {
    const folder = join(newFolder(), "made", "data");
    const server = await withoutUmask(() => startServerProcess({ COUNTERSIGN_DATA: folder }));
    await until("the text index exists", () => existsSync(join(folder, "search.db-wal")));
    expect(modeOf(folder)).toBe(0o700);
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([
        "countersign.db",
        "journal.db",
        "search.db",
        "owner.lock",
        "countersign.db-wal",
      ]),
    );
    expectPrivate(folder);
    expect(await server.stop()).toBe(0);
  });

  test("files that others could read, from the next start on; the doctor reports them", async () => {
    const folder = usedFolder();
    chmodSync(folder, 0o700);
    publish(folder);
    const { stdout } = await doctor(folder);
    expect(stdout).toContain("countersign.db");
    expect(stdout).toContain("Other users of this machine can read");
    const server = await startServerProcess({ COUNTERSIGN_DATA: folder });
    await until("the text index is restricted, too", () => modeOf(join(folder, "search.db")) === 0o600);
    expectPrivate(folder);
    await server.stop();
  });

  test("a backup and the files that are restored from it", async () => {
    const folder = usedFolder();
    const backup = join(newFolder(), "backup");
    const run = (...words: string[]) =>
      withoutUmask(() => runCountersign(words, { COUNTERSIGN_DATA: folder }));
    expect((await run("backup", backup)).code).toBe(0);
    expect(modeOf(backup)).toBe(0o700);
    expectPrivate(backup);
    publish(backup);
    expect((await run("restore", backup, "--force")).code).toBe(0);
    expectPrivate(folder);
  });
});
