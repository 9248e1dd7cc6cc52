import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../../../tests/support/databases.ts";
import { csvFile } from "../../../tests/support/license-files.ts";
import { openOwnOrganization } from "../../../tests/support/own-organization.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { runCountersign } from "../../../tests/support/server-process.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { testsOn } from "../../../tests/support/tests-on.ts";

testsOn("postgres", "countersign import and export", openOwnOrganization, (fixture) => {
  const folder = freshFolder();
  const file = (name: string) => join(folder, name);
  const run = (...args: string[]) => runHere(args, fixture.environment);
  const importing = (name: string, ...args: string[]) => [
    ...["import", "--product", fixture.productId, "--file", file(name)],
    ...args,
  ];

  test("an exported file has the imported licenses, and both are in the audit log", async () => {
    const header = ["Key", "customer_email", "notes"];
    const rows = [
      ["CLI-1", "a@example.com", "=1+1"],
      ["CLI-2", "b@example.com", null],
    ];
    writeFileSync(file("in.csv"), csvFile(header, ...rows));
    const args = importing("in.csv", "--columns", JSON.stringify({ Key: "license_key" }));
    const dry = await run(...args, "--dry-run");
    expect(dry.stdout).toContain("Dry run, nothing was imported: 2 created");
    const done = await runCountersign([...args, "--json"], fixture.environment);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    const imported = { state: "finished", created: 2, created_by: "countersign import" };
    expect(JSON.parse(done.stdout)).toMatchObject(imported);

    const out = file("out.csv");
    const exporting = ["export", "--organization", fixture.organizationId];
    const exported = await runCountersign([...exporting, "--file", out, "--json"], fixture.environment);
    expect(JSON.parse(exported.stdout)).toEqual({ file: out, format: "csv", licenses: 2 });
    if (process.platform !== "win32") expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readFileSync(out, "utf8")).toContain("'=1+1");
    const stderr = `${out} already exists. Choose another file name.\n`;
    expect(await run(...exporting, "--file", out)).toMatchObject({ code: 1, stderr });
    const piped = await run(...exporting, "--format", "jsonl");
    expect(piped.stdout.trim().split("\n")).toHaveLength(2);

    const audited = await storedRows(fixture.store.reads, "audit_log", { actor_kind: "command_line" });
    expect(audited.map(({ action }) => action)).toEqual([
      ...["import.started", "import.finished", "import.started", "import.finished"],
      ...["licenses.exported", "licenses.exported"],
    ]);
  }, 60_000);

  test("an import sends events only if requested", async () => {
    const recorded = async () => {
      const rows = await storedRows(fixture.store.reads, "events", { product_id: fixture.productId });
      return rows.map(({ type, data }) => [type, JSON.parse(data).license.license_key]);
    };
    const imported = async (key: string, ...args: string[]) => {
      writeFileSync(file("told.csv"), csvFile(["license_key", "customer_email"], [key, "t@example.com"]));
      const { code, stdout, stderr } = await run(...importing("told.csv", "--json", ...args));
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout);
    };
    expect(await imported("QUIET-1")).toMatchObject({ send_events: false });
    await imported("TOLD-1", "--send-events", "--dry-run");
    expect(await recorded()).toEqual([]);
    expect(await imported("TOLD-1", "--send-events")).toMatchObject({ send_events: true, created: 1 });
    expect(await recorded()).toEqual([["license.created", "TOLD-1"]]);
    expect((await run("import", "--help")).stdout).toContain("--send-events");
  });

  test("invalid rows of an import are listed, and the exit code is not 0", async () => {
    const rows = ['{"license_key":"CLI-1","customer_email":"a@example.com"}', '{"notes":"x"}', ""];
    writeFileSync(file("wrong.jsonl"), rows.join("\n"));
    const { code, stdout } = await run(...importing("wrong.jsonl"));
    expect(code).toBe(1);
    for (const line of [
      `Row 1, license_key "CLI-1": license_key belongs to another license of this product: CLI-1.`,
      "Row 2: customer_email or customer_discord_id is required",
      "2 of 2 rows are invalid, so nothing was imported.",
    ])
      expect(stdout).toContain(line);
    const lenient = importing("wrong.jsonl", "--on-existing", "skip", "--mode", "row_by_row");
    expect((await run(...lenient)).stdout).toContain("1 skipped, 1 failed");
  });

  test("invalid arguments of imports and exports are refused with one sentence", async () => {
    writeFileSync(file("header.csv"), "nonsense\n1\n");
    const exporting = ["export", "--organization", fixture.organizationId];
    const rows: [string[], RegExp][] = [
      [["import", "--file", "x"], /^--product is missing/],
      [importing("none.csv"), /^File .* does not exist/],
      [importing("header.csv"), /^The file could not be read: file has an unknown column: nonsense\./],
      [importing("header.csv", "--mode", "x"), /^--mode is "x"/],
      [importing("header.csv", "--columns", "[]"), /^--columns must be/],
      [["import", "--product", "none", "--file", file("header.csv")], /^Product none does not exist/],
      [["export", "--organization", "none"], /^Organization none does not exist/],
      [[...exporting, "--product", "none"], /^The organization has no product/],
    ];
    for (const [args, sentence] of rows)
      expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
    expect(existsSync(file("none.csv"))).toBe(false);
  });
});
