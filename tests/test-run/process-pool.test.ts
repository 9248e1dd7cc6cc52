import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "../support/until.ts";

const { ProcessPool, runJobs } = await import(join(import.meta.dir, "../../scripts/process-pool.mjs"));

describe("processes of the test run", () => {
  test("a process returns its exit code, and its output in one piece", async () => {
    const program = "echo one; sleep 0.1; echo two >&2; exit 3";
    const { code, text } = await new ProcessPool().run("sh", ["-c", program]);
    expect({ code, text }).toEqual({ code: 3, text: "one\ntwo\n" });
  });

  test.if(process.platform === "linux")("a process returns the processor time that it used", async () => {
    const busy = "const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end);";
    const pool = new ProcessPool();
    const { processorSeconds } = await pool.run(process.execPath, ["-e", busy]);
    const { processorSeconds: idle } = await pool.run("true", []);
    expect(processorSeconds).toBeGreaterThanOrEqual(0.3);
    expect(idle).toBeLessThan(0.3);
  });

  test("a process leaves none of its child processes running", async () => {
    const { code, text } = await new ProcessPool().run("sh", ["-c", "sleep 600 & echo $!"]);
    expect(code).toBe(0);
    await until("its child process is gone", () => !isRunning(Number(text)));
  });

  test.each([
    ["is killed after too long a silence", "sleep", "0.2 seconds of silence"],
    ["cannot be started", "/no/such/program", "/no/such/program could not be run"],
  ])("a process that %s says so", async (_, program, words) => {
    const { code, text } = await new ProcessPool().run(program, ["600"], { silenceMs: 200 });
    expect({ code, text }).toEqual({ code: null, text: expect.stringContaining(words) });
  });

  test("a process ends with all its child processes when the pool stops, and none starts afterwards", async () => {
    const pool = new ProcessPool();
    const running = pool.run("sh", ["-c", "sleep 600 & sleep 600"]);
    pool.stop();
    expect((await running).code).toBeNull();
    expect((await pool.run("echo", ["late"])).text).toBe("");
  });
});

test("every job runs once, and never more than the given number at a time", async () => {
  const jobs = Array.from({ length: 20 }, (_, number) => number);
  const done: number[] = [];
  let atOnce = 0;
  let most = 0;
  await runJobs(jobs, 3, async (job: number) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setTimeout(resolve, job % 3));
    atOnce -= 1;
    done.push(job);
  });
  expect(most).toBe(3);
  expect(done.sort((a, b) => a - b)).toEqual(jobs);
});

test("a job whose preparation is not done lets the following ones pass", async () => {
  const done: string[] = [];
  let prepare = () => {};
  const after = new Promise<void>((resolve) => {
    prepare = resolve;
  });
  const jobs = [{ name: "prepared", after }, { name: "first" }, { name: "second" }];
  await runJobs(jobs, 1, async ({ name }: { name: string }) => {
    done.push(name);
    if (name === "second") prepare();
  });
  expect(done).toEqual(["first", "second", "prepared"]);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
