import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const { planOf } = await import(join(root, "scripts/test-plan.mjs"));
const { testFiles } = await import(join(root, "scripts/test-report.mjs"));

interface Group {
  readonly kind: string;
  readonly files: readonly string[];
}
interface Plan {
  readonly parallel: readonly Group[];
  readonly last: readonly Group[];
}

const filesOf = (groups: readonly Group[]) => groups.flatMap((group) => group.files);

describe("the plan of a test run", () => {
  test("contains every test file of the project once", () => {
    const files: string[] = testFiles(root, ["packages", "apps", "sdks", "tests"]);
    const { parallel, last }: Plan = planOf(files);
    expect(filesOf([...parallel, ...last]).sort()).toEqual([...files].sort());
    expect(files).toContain("tests/test-run/plan.test.ts");
  });

  test("runs tests that need an idle machine last", () => {
    const [race, usual] = ["tests/faults/a.test.ts", "tests/http/b.test.ts"];
    const { parallel, last }: Plan = planOf([race, usual], { textOf: () => "" });
    expect([filesOf(parallel), filesOf(last)]).toEqual([[usual], [race]]);
  });

  test("puts files on the same database into a process, where they share a server", () => {
    const texts: Readonly<Record<string, string>> = {
      "tests/http/a.test.ts": 'describe.each(on("sqlite"))',
      "tests/http/b.test.ts": 'testsOn("postgres", "b", open, () => {})',
      "tests/http/c.test.ts": 'describe.each(on("sqlite"))',
    };
    const { parallel }: Plan = planOf(Object.keys(texts), {
      textOf: (file: string) => texts[file],
      secondsOf: () => 1,
    });
    expect(parallel.map(({ files }) => files)).toEqual([
      ["tests/http/a.test.ts", "tests/http/c.test.ts"],
      ["tests/http/b.test.ts"],
    ]);
  });

  test("divides long kinds into processes of similar durations, and starts with the longest", () => {
    const seconds: Readonly<Record<string, number>> = {
      "tests/manage/a.test.ts": 50,
      "tests/manage/b.test.ts": 30,
      "tests/manage/c.test.ts": 15,
      "packages/domain/d.test.ts": 1,
    };
    const { parallel }: Plan = planOf(Object.keys(seconds), {
      textOf: () => "",
      secondsOf: (file: string) => seconds[file],
    });
    expect(parallel.map(({ files }) => files)).toEqual([
      ["tests/manage/a.test.ts"],
      ["tests/manage/b.test.ts", "tests/manage/c.test.ts"],
      ["packages/domain/d.test.ts"],
    ]);
  });

  test("expects files of unknown duration to take longer the longer they are", () => {
    const { parallel }: Plan = planOf(["tests/guides/short.test.ts", "tests/guides/long.test.ts"], {
      textOf: (file: string) => "line\n".repeat(file.includes("long") ? 500 : 50),
    });
    expect(filesOf(parallel)).toEqual(["tests/guides/long.test.ts", "tests/guides/short.test.ts"]);
  });
});
