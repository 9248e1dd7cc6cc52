import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { databases, freshFolder } from "../support/databases.ts";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { runCountersign } from "../support/server-process.ts";

setDefaultTimeout(60_000);

interface Row {
  readonly what: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What the error line must name, so that its reader knows what to change. */
  readonly names: readonly string[];
}

/** FOLDER stands for a folder of this test and BUSY for a port in use. */
const rows: readonly Row[] = [
  ...["http", "-1", "65536", "3000.5", "0x10", " "].map(
    (port): Row => ({
      what: `PORT "${port}"`,
      environment: { PORT: port },
      names: ["PORT", port, "0 to 65535"],
    }),
  ),
  ...["true", "1", "0.0.0.0/0", "::/0", "proxy.example.com", "10.0.0.0/33"].map(
    (proxies): Row => ({
      what: `COUNTERSIGN_TRUSTED_PROXIES "${proxies}"`,
      environment: { COUNTERSIGN_TRUSTED_PROXIES: proxies },
      names: ["COUNTERSIGN_TRUSTED_PROXIES", proxies],
    }),
  ),
  {
    what: "a plan that does not exist",
    environment: { COUNTERSIGN_DEFAULT_PLAN: "gold" },
    names: ["COUNTERSIGN_DEFAULT_PLAN", "gold", "free, pro, enterprise"],
  },
  {
    what: "a durability that does not exist",
    environment: { COUNTERSIGN_DURABILITY: "maybe" },
    names: ["COUNTERSIGN_DURABILITY", "maybe", "standard, strict"],
  },
  {
    what: "a log level that does not exist",
    environment: { COUNTERSIGN_LOG_LEVEL: "loud" },
    names: ["COUNTERSIGN_LOG_LEVEL", "loud"],
  },
  {
    what: "an invalid URL",
    environment: { COUNTERSIGN_URL: "example" },
    names: ["COUNTERSIGN_URL", "example"],
  },
  {
    what: "an encryption key that is too short",
    environment: { COUNTERSIGN_ENCRYPTION_KEY: "short" },
    names: ["COUNTERSIGN_ENCRYPTION_KEY", "16"],
  },
  {
    what: "a setting that is given twice",
    environment: { PORT: "0", PORT_FILE: "FOLDER/file" },
    names: ["PORT", "PORT_FILE"],
  },
  {
    what: "a setting in a missing file",
    environment: { DATABASE_URL_FILE: "FOLDER/nothing" },
    names: ["DATABASE_URL_FILE", "nothing"],
  },
  { what: "a port in use", environment: { PORT: "BUSY" }, names: ["PORT", "BUSY", "another program"] },
  { what: "an IP address of another machine", environment: { HOST: "192.0.2.1" }, names: ["192.0.2.1"] },
  {
    what: "a data folder below a file",
    environment: { COUNTERSIGN_DATA: "FOLDER/file/data" },
    names: ["COUNTERSIGN_DATA", "FOLDER/file/data"],
  },
  {
    what: "a data folder that is a file",
    environment: { COUNTERSIGN_DATA: "FOLDER/file" },
    names: ["COUNTERSIGN_DATA", "FOLDER/file"],
  },
  {
    what: "a database file that is not a database",
    environment: { COUNTERSIGN_DATA: "FOLDER/broken" },
    names: ["FOLDER/broken/countersign.db"],
  },
  {
    what: "a database port that nothing listens on",
    environment: { DATABASE_URL: "postgres://user:hunter22@127.0.0.1:1/countersign" },
    names: ["DATABASE_URL", "PostgreSQL"],
  },
  {
    what: "a database URL of a server other than PostgreSQL",
    environment: { DATABASE_URL: "postgres://user:hunter22@127.0.0.1:BUSY/countersign" },
    names: ["DATABASE_URL", "PostgreSQL"],
  },
  ...["mysql://user:hunter22@127.0.0.1/countersign", "hunter22", "http://user:hunter22@127.0.0.1"].map(
    (url): Row => ({
      what: `DATABASE_URL ${url}`,
      environment: { DATABASE_URL: url },
      names: ["DATABASE_URL", "postgres://user:password@host"],
    }),
  ),
];

describe("a failing start", () => {
  const folder = freshFolder();
  const silent: Server = createServer(() => {});
  let busyPort = 0;
  beforeAll(async () => {
    writeFileSync(join(folder, "file"), "a file\n");
    mkdirSync(join(folder, "broken"));
    writeFileSync(
      join(folder, "broken", "countersign.db"),
      "this is no database, but it is long enough ".repeat(200),
    );
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    busyPort = typeof address === "object" && address !== null ? address.port : 0;
  });
  afterAll(() => {
    silent.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const fill = (text: string) => text.replace("FOLDER", folder).replace("BUSY", String(busyPort));

  for (const { what, environment, names } of rows) {
    test(`${what}: prints one line that says what to change, and exits with code 1`, async () => {
      const settings = Object.entries({ PORT: "0", COUNTERSIGN_DATA: "FOLDER/data", ...environment });
      const finished = await runCountersign(
        ["serve"],
        Object.fromEntries(settings.map(([name, value]) => [name, fill(value)])),
      );
      expectOneLine(finished);
      for (const name of names) expect(finished.stderr).toContain(fill(name));
      expect(finished.stderr).not.toContain("hunter22");
    });
  }

  test("a data folder in use by another server: prints one line and does not disturb that server", async () => {
    const [sqlite] = databases;
    if (sqlite === undefined) throw new Error("there is no database");
    const fixture = await openPublicApiFixture(sqlite.make);
    const { key } = await fixture.org.license();
    const finished = await runCountersign(["serve"], { ...fixture.database.environment, PORT: "0" });
    expectOneLine(finished);
    expect(finished.stderr).toContain("in use by another Countersign server");
    expect((await fixture.api.validate({ license_key: key })).body.status).toBe("active");
    await fixture.close();
  });

  test("a database that a newer release has migrated: prints one line", async () => {
    for (const { make } of databases) {
      const fixture = await openPublicApiFixture(make);
      await fixture.server.stop();
      await fixture.org.store.transaction((db) =>
        db
          .insertInto("schema_migrations" as "platform_state")
          .values({ name: "9999-future", applied_at: 0 } as never)
          .execute(),
      );
      const finished = await runCountersign(["serve"], { ...fixture.database.environment, PORT: "0" });
      expectOneLine(finished);
      expect(finished.stderr).toContain("9999-future");
      await fixture.org.store.close();
      fixture.database.remove();
    }
  });

  test("a wrong encryption key: prints one line", async () => {
    for (const { make } of databases) {
      const database = await make();
      const right = { ...database.environment, COUNTERSIGN_ENCRYPTION_KEY: "correct horse battery staple" };
      const fixture = await openPublicApiFixture(async () => ({ ...database, environment: right }));
      await fixture.server.stop();
      await fixture.org.store.close();
      for (const key of [undefined, "wrong horse battery staple"]) {
        const wrong = key === undefined ? {} : { COUNTERSIGN_ENCRYPTION_KEY: key };
        const finished = await runCountersign(["serve"], { ...database.environment, ...wrong, PORT: "0" });
        expectOneLine(finished);
        expect(finished.stderr).toContain("COUNTERSIGN_ENCRYPTION_KEY");
        expect(finished.stderr).not.toContain("battery");
      }
      database.remove();
    }
  });
});

function expectOneLine({
  code,
  stdout,
  stderr,
}: {
  code: number | null;
  stdout: string;
  stderr: string;
}): void {
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).not.toMatch(/\bat .*\.ts:\d+/);
  expect(stderr.endsWith("\n")).toBeTrue();
  expect(stdout).toBe("");
  expect(code).toBe(1);
}
