import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder, sqlite } from "../support/databases.ts";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { type Finished, runCountersign, startServerProcess } from "../support/server-process.ts";

setDefaultTimeout(60_000);

const folder = freshFolder();
const file = join(folder, "file");
beforeAll(() => writeFileSync(file, "a file\n"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (environment: Readonly<Record<string, string>>) =>
  runCountersign(["serve"], { PORT: "0", COUNTERSIGN_DATA: join(folder, "data"), ...environment });

function expectOneLine({ code, stdout, stderr }: Finished): void {
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).not.toMatch(/\bat .*\.[jt]s:\d+/);
  expect(stderr).not.toContain("hunter22");
  expect(stderr.endsWith("\n")).toBeTrue();
  expect([stdout, code]).toEqual(["", 1]);
}

/** Each setting is tested in apps/server/config.test.ts, and each problem of a database in packages/store/open.test.ts. */
describe("a start that fails prints one line that says what to change, and exits with code 1, for", () => {
  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["an invalid setting", { PORT: "http" }, ["PORT", "http", "0 to 65535"]],
    [
      "a secret in an invalid setting",
      { DATABASE_URL: "mysql://u:hunter22@h/d" },
      ["DATABASE_URL", "postgres://"],
    ],
    ["a setting that is given twice", { PORT_FILE: file }, ["PORT", "PORT_FILE"]],
    ["an IP address of another machine", { HOST: "192.0.2.1" }, ["192.0.2.1"]],
    ["a data folder that is a file", { COUNTERSIGN_DATA: file }, ["COUNTERSIGN_DATA", file]],
    ["a database that does not run", { DATABASE_URL: "postgres://u:hunter22@127.0.0.1:1/d" }, ["PostgreSQL"]],
  ])("%s", async (_, environment, named) => {
    const finished = await start(environment);
    expectOneLine(finished);
    for (const text of named) expect(finished.stderr).toContain(text);
  });

  test("a data folder that another server uses, which is not disturbed", async () => {
    const fixture = await openPublicApiFixture(sqlite.make);
    const { key } = await fixture.org.license();
    const finished = await start(fixture.database.environment);
    expectOneLine(finished);
    expect(finished.stderr).toContain("in use by another Countersign server");
    expect((await fixture.api.validate({ license_key: key })).body.status).toBe("active");
    await fixture.close();
  });
});

test("a server keeps its port from a second one, which reports the conflict, and can reuse it at once", async () => {
  const environment = { COUNTERSIGN_DATA: join(folder, "first") };
  const first = await startServerProcess(environment);
  const second = await start({ HOST: "0.0.0.0", PORT: String(first.port) });
  expectOneLine(second);
  expect(second.stderr).toBe(
    `Port ${first.port} on 0.0.0.0 cannot be opened: another program is using it. Set PORT to another one.\n`,
  );
  for (let call = 0; call < 20; call++) await (await fetch(`${first.url}/healthz`)).text();
  await first.stop();
  // Connections of the previous one are still closing.
  const again = await startServerProcess({ ...environment, PORT: String(first.port) });
  expect((await fetch(`${again.url}/healthz`)).status).toBe(200);
  await again.stop();
});
