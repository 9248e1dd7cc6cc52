import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiOf } from "../support/api.ts";
import { freshFolder } from "../support/databases.ts";
import { runCountersign, startServerProcess } from "../support/server-process.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;
const expectPrivate = (data: string) => {
  for (const name of readdirSync(data)) expect([name, modeOf(join(data, name))]).toEqual([name, 0o600]);
};

/** The files of a stopped server, whose folders did not exist. */
const used = join(folder, "made", "data");
let apiKey = "";
let licenseKey = "";
beforeAll(async () => {
  // Without a umask, which a child process inherits.
  const own = process.umask(0);
  const started = startServerProcess({ COUNTERSIGN_DATA: used });
  process.umask(own);
  const server = await started;
  const org = await openTestOrganization({ kind: "sqlite", folder: used });
  apiKey = org.apiKey;
  licenseKey = (await org.license()).key;
  await apiOf(server.url, apiKey).validate({ license_key: licenseKey });
  await until("the text index exists", () => existsSync(join(used, "search.db-wal")));
  if (process.platform !== "win32") {
    expect(modeOf(used)).toBe(0o700);
    expectPrivate(used);
  }
  await org.store.close();
  await server.stop();
  expect(readdirSync(used)).toEqual(
    expect.arrayContaining(["countersign.db", "journal.db", "search.db", "owner.lock"]),
  );
});

function copyOfUsed(name: string): string {
  const copy = join(folder, name);
  cpSync(used, copy, { recursive: true });
  return copy;
}

const doctor = (data: string) => runCountersign(["doctor"], { COUNTERSIGN_DATA: data });

/** Every kind of damage is tested in packages/store/databases/open.test.ts. */
test("a damaged request log is set aside with a warning, and validations continue", async () => {
  const data = copyOfUsed("log");
  for (const name of ["journal.db", "search.db"])
    writeFileSync(join(data, name), "no database ".repeat(1_000));
  const { code, stdout } = await doctor(data);
  for (const text of ["journal.db", "search.db", "rebuilds it"]) expect(stdout).toContain(text);
  expect(code).toBe(1);
  const server = await startServerProcess({ COUNTERSIGN_DATA: data });
  expect(server.output()).toContain('"level":"error"');
  expect(server.output()).toContain("The request log was damaged. It was set aside");
  const answer = await apiOf(server.url, apiKey).validate({ license_key: licenseKey });
  expect(answer.body.status).toBe("active");
  expect(await server.stop()).toBe(0);
  expect(readdirSync(data).some((name) => name.startsWith("journal.db.damaged-"))).toBe(true);
  expect((await doctor(data)).code).toBe(0);
});

test.skipIf(process.platform === "win32")(
  "files that others could read are restricted by the next start, and the doctor reports them",
  async () => {
    const data = copyOfUsed("published");
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o644);
    const { stdout } = await doctor(data);
    expect(stdout).toContain("countersign.db");
    expect(stdout).toContain("Other users of this machine can read");
    const server = await startServerProcess({ COUNTERSIGN_DATA: data });
    await until("the text index is restricted, too", () => modeOf(join(data, "search.db")) === 0o600);
    expectPrivate(data);
    await server.stop();
  },
);
