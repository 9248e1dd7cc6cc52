import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder, on, type TestDatabase } from "../../../tests/support/databases.ts";
import { csvFile } from "../../../tests/support/license-files.ts";
import { runCountersign } from "../../../tests/support/server-process.ts";
import { openTestOrganization, type TestOrganization } from "../../../tests/support/test-organization.ts";

describe.each(on("postgres"))("countersign import and export on $kind", ({ make }) => {
  let database: TestDatabase;
  let org: TestOrganization;
  const folder = freshFolder();
  const file = (name: string) => join(folder, name);
  beforeAll(async () => {
    database = await make();
    org = await openTestOrganization(database.location);
  }, 60_000);
  afterAll(async () => {
    await org.store.close();
    database.remove();
  });

  const run = (...words: string[]) => runCountersign(words, database.environment);

  test("an exported file has the imported licenses, and both are in the audit log", async () => {
    const header = ["Key", "customer_email", "notes"];
    writeFileSync(
      file("in.csv"),
      csvFile(header, ["CLI-1", "a@example.com", "=1+1"], ["CLI-2", "b@example.com", null]),
    );
    const columns = JSON.stringify({ Key: "license_key" });
    const words = ["import", "--product", org.productId, "--file", file("in.csv"), "--columns", columns];
    const dry = await run(...words, "--dry-run");
    expect(dry.stdout).toContain("Dry run, nothing was imported: 2 created");
    const done = await run(...words, "--json");
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(done.stdout)).toMatchObject({
      state: "finished",
      created: 2,
      created_by: "countersign import",
    });

    const out = file("out.csv");
    const exported = await run("export", "--organization", org.organizationId, "--file", out, "--json");
    expect(JSON.parse(exported.stdout)).toEqual({ file: out, format: "csv", licenses: 2 });
    if (process.platform !== "win32") expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readFileSync(out, "utf8")).toContain("'=1+1");
    const again = await run("export", "--organization", org.organizationId, "--file", out);
    expect(again).toMatchObject({ code: 1, stderr: `${out} already exists. Choose another file name.\n` });
    const piped = await run("export", "--organization", org.organizationId, "--format", "jsonl");
    expect(piped.stdout.trim().split("\n")).toHaveLength(2);

    const audited = await org.store.reads.selectFrom("audit_log").select(["action", "actor_kind"]).execute();
    expect(audited.filter((row) => row.actor_kind === "command_line").map((row) => row.action)).toEqual([
      "import.started",
      "import.finished",
      "import.started",
      "import.finished",
      "licenses.exported",
      "licenses.exported",
    ]);
  }, 60_000);

  test("an import sends events only if requested", async () => {
    const recorded = async () => {
      const rows = await org.store.reads
        .selectFrom("events")
        .select(["type", "data"])
        .where("product_id", "=", org.productId)
        .orderBy("id")
        .execute();
      return rows.map(({ type, data }) => [type, JSON.parse(data).license.license_key]);
    };
    const importing = (key: string, ...more: string[]) => {
      writeFileSync(file("told.csv"), csvFile(["license_key", "customer_email"], [key, "t@example.com"]));
      return run("import", "--product", org.productId, "--file", file("told.csv"), "--json", ...more);
    };
    expect(JSON.parse((await importing("QUIET-1")).stdout).send_events).toBe(false);
    expect(await recorded()).toEqual([]);
    await importing("TOLD-1", "--send-events", "--dry-run");
    expect(await recorded()).toEqual([]);
    const { stdout, stderr, code } = await importing("TOLD-1", "--send-events");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ send_events: true, created: 1 });
    expect(await recorded()).toEqual([["license.created", "TOLD-1"]]);
    expect((await run("import", "--help")).stdout).toContain("--send-events");
  }, 60_000);

  test("invalid rows are listed, and the exit code is not 0", async () => {
    writeFileSync(
      file("wrong.jsonl"),
      '{"license_key":"CLI-1","customer_email":"a@example.com"}\n{"notes":"x"}\n',
    );
    const words = ["import", "--product", org.productId, "--file", file("wrong.jsonl")];
    const { code, stdout } = await run(...words);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `Row 1, license_key "CLI-1": license_key belongs to another license of this product: CLI-1.`,
    );
    expect(stdout).toContain("Row 2: customer_email or customer_discord_id is required");
    expect(stdout).toContain("2 of 2 rows are invalid, so nothing was imported.");
    expect((await run(...words, "--on-existing", "skip", "--mode", "row_by_row")).stdout).toContain(
      "1 skipped, 1 failed",
    );
  }, 60_000);

  test("invalid arguments are rejected with one sentence", async () => {
    writeFileSync(file("header.csv"), "nonsense\n1\n");
    const product = ["--product", org.productId];
    const rows: [string[], RegExp][] = [
      [["import", "--file", "x"], /^--product is missing/],
      [["import", ...product, "--file", file("none.csv")], /^File .* does not exist/],
      [
        ["import", ...product, "--file", file("header.csv")],
        /^The file could not be read: file has an unknown column: nonsense\./,
      ],
      [["import", ...product, "--file", file("header.csv"), "--mode", "x"], /^--mode is "x"/],
      [["import", ...product, "--file", file("header.csv"), "--columns", "[]"], /^--columns must be/],
      [["import", "--product", "none", "--file", file("header.csv")], /^Product none does not exist/],
      [["export", "--organization", "none"], /^Organization none does not exist/],
      [
        ["export", "--organization", org.organizationId, "--product", "none"],
        /^The organization has no product/,
      ],
    ];
    for (const [words, sentence] of rows) {
      const { code, stderr } = await run(...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(sentence);
    }
    expect(existsSync(file("none.csv"))).toBe(false);
  }, 60_000);
});
