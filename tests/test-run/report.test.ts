import { afterAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../support/databases.ts";

const scripts = join(import.meta.dir, "../../scripts");
const { emptyTally, failureTexts, readReport, slowest, table, totals } = await import(
  join(scripts, "test-report.mjs")
);
const { ProcessPool } = await import(join(scripts, "process-pool.mjs"));

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let reports = 0;

/** Reads a report. Without a text there is no report. */
function read(xml: string | null, files: readonly string[], code: number | null = 0) {
  const tallies = new Map();
  const tallyOf = (kind: string) => tallies.get(kind) ?? tallies.set(kind, emptyTally()).get(kind);
  reports += 1;
  const path = join(folder, `${reports}.xml`);
  if (xml !== null) writeFileSync(path, xml);
  const failures: string[] = readReport(path, { files, code, tallyOf });
  return { failures, tallies, ...totals(tallies) };
}

const rules = "packages/domain/rules.test.ts";
const wire = "tests/http/wire.test.ts";
const passing = (file: string) => `<testcase name="works" classname="all" time="0.1" file="${file}" />`;

describe("reports of test runs", () => {
  test("a report counts tests by kind, and names each failure as written", () => {
    const { failures, tallies } = read(
      `<testsuites>${passing(rules)}${passing(wire)}
        <testcase name="takes &lt;b&gt; &amp; &quot;c&quot;" classname="inside &gt; all" file="${wire}"><failure type="x" /></testcase>
        <testcase name="elsewhere" classname="all" file="${wire}"><skipped /></testcase></testsuites>`,
      [rules, wire],
      1,
    );
    expect(failures).toEqual([`${wire}: all > inside > takes <b> & "c"`]);
    expect(tallies.get("rules")).toMatchObject({ passed: 1, failed: 0, skipped: 0 });
    expect(tallies.get("black-box")).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
    tallies.get("rules").processorSeconds = 2.5;
    expect(table(tallies).split("\n")[1]).toBe(
      "rules                  1         0         0       0.0       2.5",
    );
  });

  test("a report has what was printed about each failed test", () => {
    const output = "first.test.ts:\n(pass) a [1ms]\nerror: 1 is not 2\n  at b\n(fail) b [2ms]\n(pass) c\n";
    expect(failureTexts(output)).toEqual(["error: 1 is not 2\n  at b\n(fail) b [2ms]"]);
    expect(failureTexts("(pass) a\nout of memory\n")).toEqual(["(pass) a\nout of memory"]);
    expect(failureTexts(`${"x".repeat(10_000)}\n(fail) a`)[0]).toHaveLength(2_000);
  });

  test("a report has a failure for every file that it lacks, and for a run that exited abnormally", () => {
    const { failures, passed, failed } = read(passing(rules), [rules, wire]);
    expect(failures).toEqual([`${wire}: no test of it ran`]);
    expect({ passed, failed }).toEqual({ passed: 1, failed: 1 });
    for (const code of [0, 1, null]) expect(read(null, [rules, wire], code).failed).toBe(2);
    for (const code of [1, null]) expect(read(passing(rules), [rules], code).failed).toBe(1);
    expect(read(passing(rules), [rules]).failed).toBe(0);
  });
});

describe("broken test files", () => {
  const first = 'import { test } from "bun:test"; test("first", () => {});';
  test.each([
    ["exits its process with code 0", `${first} test("second", () => process.exit(0));`],
    ["is killed", `${first} test("second", () => process.kill(process.pid, "SIGKILL"));`],
    ["cannot be parsed", `${first} test(`],
    ["fails on load", `${first} throw new Error("no");`],
    [
      "fails after its tests",
      `import { afterAll } from "bun:test"; ${first} afterAll(() => { throw new Error("no"); });`,
    ],
    ["has no test", "export {};"],
    ["never finishes", `${first} test("second", () => { for (;;) Bun.sleepSync(1_000); });`],
  ])(
    "a test file that %s fails",
    async (what, source) => {
      const file = `${reports}-${what.replaceAll(" ", "-")}.test.ts`;
      writeFileSync(join(folder, file), source);
      const xml = join(folder, `${file}.xml`);
      const words = ["test", "--reporter=junit", `--reporter-outfile=${xml}`, `./${file}`];
      const options = { cwd: folder, silenceMs: 3_000 };
      const { code } = await new ProcessPool().run(process.execPath, words, options);
      const text = (await Bun.file(xml).exists()) ? await Bun.file(xml).text() : null;
      expect(read(text, [file], code).failed).toBeGreaterThan(0);
    },
    30_000,
  );
});

test("the processes that used the most processor time are listed first", () => {
  const times = [
    { seconds: 90, processorSeconds: 2, what: "waits" },
    { seconds: 10, processorSeconds: 9.96, what: "computes" },
    { seconds: 1, processorSeconds: 1, what: "is short" },
  ];
  expect(slowest(times, 2)).toBe(
    "   seconds processor\n      10.0      10.0  computes\n      90.0       2.0  waits\n",
  );
});
