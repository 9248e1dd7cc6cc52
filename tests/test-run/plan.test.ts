import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const { planOf } = await import(join(root, "scripts/test-plan.mjs"));
const { testFiles } = await import(join(root, "scripts/test-report.mjs"));

interface Known {
  readonly textOf?: (file: string) => string | undefined;
  readonly secondsOf?: (file: string) => number | undefined;
}

interface Group {
  readonly files: string[];
  readonly needs: string[];
}

/** The files of each process. */
function planned(files: readonly string[], known?: Known): Record<"parallel" | "last", string[][]> {
  const { parallel, last } = planOf(files, known === undefined ? {} : { textOf: () => "", ...known });
  const filesOf = (groups: { files: string[] }[]) => groups.map((group) => group.files);
  return { parallel: filesOf(parallel), last: filesOf(last) };
}

test("the plan of a test run contains every test file of the project once", () => {
  const files: string[] = testFiles(root, ["packages", "apps", "sdks", "tests"]);
  const { parallel, last } = planned(files);
  expect([...parallel, ...last].flat().sort()).toEqual([...files].sort());
  expect(files).toContain("tests/test-run/plan.test.ts");
});

test("only tests that use Stripe's test server or KeyPort's client wait for it, and only tests with a server wait for the dashboard", () => {
  const texts: Readonly<Record<string, string>> = {
    "tests/manage/paid.test.ts": 'import { payers } from "../support/payers.ts";\n',
    "apps/server/free.test.ts": 'import { rows } from "./rows.ts";\n',
    "apps/server/cli/paid.test.ts": 'import { mock } from "../../../tests/support/stripe-mock.ts";\n',
    "tests/http/keyport.test.ts": 'import { callKeyPort } from "../support/keyport.ts";\n',
    "tests/support/payers.ts": 'import { mock } from "./stripe-mock.ts";\n',
  };
  const files = Object.keys(texts).filter((file) => file.includes(".test."));
  const { parallel } = planOf(files, { textOf: (file: string) => texts[file] ?? "" });
  const needs = parallel.map((group: Group) => [group.files, group.needs]);
  expect(Object.fromEntries(needs)).toEqual({
    "tests/manage/paid.test.ts": ["dashboard", "stripe-mock"],
    "apps/server/free.test.ts": [],
    "apps/server/cli/paid.test.ts": ["dashboard", "stripe-mock"],
    "tests/http/keyport.test.ts": ["dashboard", "keyport"],
  });
});

test("tests that need an idle machine run last", () => {
  const [race, usual] = ["tests/faults/a.test.ts", "tests/http/b.test.ts"];
  expect(planned([race, usual], {})).toEqual({ parallel: [[usual]], last: [[race]] });
});

test("files on the same database are in one process, where they share a server", () => {
  const texts: Readonly<Record<string, string>> = {
    "tests/http/a.test.ts": 'describe.each(on("sqlite"))',
    "tests/http/b.test.ts": 'testsOn("postgres", "b", open, () => {})',
    "tests/http/c.test.ts": 'describe.each(on("sqlite"))',
  };
  const known: Known = { textOf: (file) => texts[file], secondsOf: () => 1 };
  expect(planned(Object.keys(texts), known).parallel).toEqual([
    ["tests/http/a.test.ts", "tests/http/c.test.ts"],
    ["tests/http/b.test.ts"],
  ]);
});

test("long kinds are divided into processes of similar durations, and the longest starts first", () => {
  const seconds: Readonly<Record<string, number>> = {
    "tests/manage/a.test.ts": 50,
    "tests/manage/b.test.ts": 30,
    "tests/manage/c.test.ts": 15,
    "packages/domain/d.test.ts": 1,
  };
  expect(planned(Object.keys(seconds), { secondsOf: (file) => seconds[file] }).parallel).toEqual([
    ["tests/manage/a.test.ts"],
    ["tests/manage/b.test.ts", "tests/manage/c.test.ts"],
    ["packages/domain/d.test.ts"],
  ]);
});

test("files of unknown duration are expected to take longer the longer they are", () => {
  const [short, long] = ["tests/guides/short.test.ts", "tests/guides/long.test.ts"];
  const textOf = (file: string) => "line\n".repeat(file === long ? 500 : 50);
  expect(planned([short, long], { textOf }).parallel).toEqual([[long], [short]]);
});
