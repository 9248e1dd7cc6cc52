import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/until.ts";

const root = join(import.meta.dir, "../..");
const { Crew, share } = await import(join(root, "scripts/test-crew.mjs"));
const { longestFirst, planOf } = await import(join(root, "scripts/test-plan.mjs"));
const { testFiles } = await import(join(root, "scripts/test-report.mjs"));

describe("a process of the test run", () => {
  test("tells its exit code, and all that it printed in one piece", async () => {
    const { code, text } = await new Crew().run("sh", ["-c", "echo one; sleep 0.1; echo two >&2; exit 3"]);
    expect({ code, text }).toEqual({ code: 3, text: "one\ntwo\n" });
  });

  test("leaves nothing running that it started", async () => {
    const { code, text } = await new Crew().run("sh", ["-c", "sleep 600 & echo $!"]);
    expect(code).toBe(0);
    await until("what it started is gone", () => !isRunning(Number(text)));
  });

  test("is ended when it is silent for too long", async () => {
    const { code, text } = await new Crew().run("sleep", ["600"], { silenceMs: 200 });
    expect(code).toBeNull();
    expect(text).toContain("0.2 seconds of silence");
  });

  test("that cannot be started says so", async () => {
    const { code, text } = await new Crew().run("/no/such/program", []);
    expect(code).toBeNull();
    expect(text).toContain("/no/such/program could not be run");
  });

  test("ends when all are dismissed, with what it started, and none begins after that", async () => {
    const crew = new Crew();
    const running = crew.run("sh", ["-c", "sleep 600 & sleep 600"]);
    crew.dismiss();
    expect((await running).code).toBeNull();
    expect((await crew.run("echo", ["late"])).text).toBe("");
  });
});

test("jobs are shared: each is done once, so many at a time and no more", async () => {
  const jobs = Array.from({ length: 20 }, (_, number) => number);
  const done: number[] = [];
  let atOnce = 0;
  let most = 0;
  await share(jobs, 3, async (job: number) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setTimeout(resolve, job % 3));
    atOnce -= 1;
    done.push(job);
  });
  expect(most).toBe(3);
  expect(done.sort((a, b) => a - b)).toEqual(jobs);
});

describe("the plan", () => {
  const files: string[] = testFiles(root, ["packages", "apps", "sdks", "tests"]);
  const { sideBySide, calm } = planOf(files);
  const filesOf = (groups: { files: string[] }[]) => groups.flatMap((group) => group.files);

  test("has every test file once", () => {
    expect(filesOf([...sideBySide, ...calm]).sort()).toEqual([...files].sort());
    expect(files).toContain("tests/test-run/crew.test.ts");
    const here = readdirSync(import.meta.dir).filter((name) => name.endsWith(".test.ts"));
    expect(files.filter((file) => file.startsWith("tests/test-run/"))).toHaveLength(here.length);
  });

  test("begins with the longest, which are there", () => {
    expect(filesOf(sideBySide).slice(0, longestFirst.length)).toEqual(longestFirst);
  });

  test("keeps what needs a calm machine for the end", () => {
    expect(filesOf(calm)).toContain("tests/faults/faults.test.ts");
    expect(filesOf(sideBySide).filter((file) => file.startsWith("tests/faults/"))).toEqual([]);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
