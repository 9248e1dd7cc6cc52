import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { databases, freshFolder, postgres } from "../../../tests/support/databases.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";

setDefaultTimeout(60_000);

interface Report {
  readonly healthy: boolean;
  readonly checks: readonly { name: string; state: string; message: string; action: string | null }[];
}

for (const { kind, makeEmpty: make } of databases) {
  describe(`doctor on ${kind}`, async () => {
    test("finds no problems with a running server, and reports that it is running", async () => {
      const { environment, remove } = await make();
      const server = await startServerProcess(environment);
      const { code, report } = await examine(environment);
      await server.stop();
      expect(problems(report)).toEqual([]);
      expect({ code, healthy: report.healthy }).toEqual({ code: 0, healthy: true });
      const words = kind === "sqlite" ? "A server is using it." : "Servers hold";
      expect(report.checks.some((check) => check.name === "database" && check.message.includes(words))).toBe(
        true,
      );
      remove();
    });

    test("a key that cannot decrypt the secrets is a problem", async () => {
      const { environment, remove } = await make();
      await runCountersign(["setup", "--organization", "A", "--product", "B"], {
        ...environment,
        COUNTERSIGN_ENCRYPTION_KEY: "the right passphrase",
      });
      const right = await examine({ ...environment, COUNTERSIGN_ENCRYPTION_KEY: "the right passphrase" });
      expect(problems(right.report)).toEqual([]);
      const wrong = await examine({ ...environment, COUNTERSIGN_ENCRYPTION_KEY: "the wrong passphrase" });
      expect({ code: wrong.code, problems: problems(wrong.report) }).toEqual({
        code: 1,
        problems: ["encryption"],
      });
      const none = await examine(environment);
      expect({ code: none.code, problems: problems(none.report) }).toEqual({
        code: 1,
        problems: ["encryption"],
      });
      remove();
    });
  });
}

describe.each(databases)("wrong license counts on $kind", ({ makeEmpty }) => {
  test("are a warning that names the command to correct them", async () => {
    const { environment, location, remove } = await makeEmpty();
    const org = await openTestOrganization(location);
    await org.license();
    expect(warnings((await examine(environment)).report)).toEqual([]);
    await org.store.transaction(async (db) => {
      await db.deleteFrom("license_counts").execute();
      await db.deleteFrom("license_count_changes").execute();
    });
    const [warning] = warnings((await examine(environment)).report);
    expect(warning?.action).toContain("countersign recount");
    const recounted = await runCountersign(["recount", "--json"], environment);
    expect(JSON.parse(recounted.stdout)).toEqual({ corrected: 2 });
    expect(warnings((await examine(environment)).report)).toEqual([]);
    expect((await runCountersign(["recount"], environment)).stdout).toContain("All counts are correct");
    await org.store.close();
    remove();
  });
});

describe("doctor on PostgreSQL without the search index", () => {
  test("warns with statements that fix it", async () => {
    const { environment, location, remove } = await postgres.makeEmpty();
    if (location.kind !== "postgres") throw new Error("That is no PostgreSQL.");
    await runCountersign(["migrate"], environment);
    expect(warnings((await examine(environment)).report)).toEqual([]);
    const client = new pg.Client({ connectionString: location.url });
    await client.connect();
    await client.query("drop index licenses_by_text");
    const { code, report } = await examine(environment);
    const [found] = warnings(report);
    expect({ code, healthy: report.healthy }).toEqual({ code: 0, healthy: true });
    expect(found?.message).toContain("without an index");
    const orders = (found?.action ?? "").split(": ").at(-1)?.split(";") ?? [];
    for (const order of orders) if (order.trim() !== "") await client.query(order);
    expect(warnings((await examine(environment)).report)).toEqual([]);
    await client.end();
    remove();
  });
});

describe("doctor", () => {
  test("an invalid setting is a problem, not a stack trace", async () => {
    const { code, report } = await examine({ PORT: "eighty" });
    expect({ code, problems: problems(report) }).toEqual({ code: 1, problems: ["settings"] });
    expect(report.checks[0]?.message).toContain('PORT is "eighty"');
  });

  test("a database that does not respond is a problem, and the other checks still run", async () => {
    const { code, report } = await examine({ DATABASE_URL: "postgres://a:secret@127.0.0.1:1/b" });
    expect({ code, problems: problems(report) }).toEqual({ code: 1, problems: ["database"] });
    expect(report.checks.map((check) => check.name)).toContain("proxy");
    expect(JSON.stringify(report)).not.toContain("secret");
  });

  test("checking an empty folder creates nothing in it", async () => {
    const folder = join(freshFolder(), "data");
    const { code } = await examine({ COUNTERSIGN_DATA: folder });
    expect({ code, exists: existsSync(folder) }).toEqual({ code: 0, exists: false });
  });

  test("a damaged database file is a problem", async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, "countersign.db"), "this is not a database, whatever its name says");
    const { code, report } = await examine({ COUNTERSIGN_DATA: folder });
    expect({ code, problems: problems(report) }).toEqual({ code: 1, problems: ["database"] });
  });

  test("a folder that other users can access is a warning, and text output says what to run", async () => {
    const folder = freshFolder();
    chmodSync(folder, 0o755);
    const { code, stdout } = await runCountersign(["doctor"], { COUNTERSIGN_DATA: folder });
    expect(code).toBe(0);
    expect(stdout).toContain(`Run chmod 700 ${folder}.`);
    expect(stdout).toEndWith("No problems, 1 warning to consider.\n");
  });
});

async function examine(
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; report: Report }> {
  const { code, stdout } = await runCountersign(["doctor", "--json"], environment);
  return { code, report: JSON.parse(stdout) };
}

function warnings(report: Report) {
  return report.checks.filter((check) => check.state === "warning" && check.name === "database");
}

function problems(report: Report): string[] {
  return report.checks.filter((check) => check.state === "problem").map((check) => check.name);
}
