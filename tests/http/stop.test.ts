import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { long } from "../races/size.ts";
import { freshFolder } from "../support/databases.ts";
import { openSilentPort } from "../support/silent-port.ts";
import { until, within } from "../support/until.ts";

setDefaultTimeout(120_000);

const main = process.env.COUNTERSIGN_TEST_SERVER ?? join(import.meta.dir, "../../apps/server/main.ts");
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = freshFolder();
  folders.push(folder);
  return folder;
}

function start(environment: Readonly<Record<string, string>>, words: readonly string[] = []) {
  const child = spawn(process.execPath, [main, "serve", ...words], {
    env: { PATH: process.env.PATH ?? "", PORT: "0", COUNTERSIGN_LOG_FORMAT: "json", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: unknown) => {
    output += String(chunk);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal })),
  );
  return { child, output: () => output, exited };
}

describe("SIGTERM", () => {
  test("a server that is stopped as soon as it reports ready exits cleanly, every time", async () => {
    const folder = newFolder();
    for (let round = 0; round < (long ? 10 : 2); round++) {
      const { child, output, exited } = start({ COUNTERSIGN_DATA: folder });
      child.stdout.on("data", () => {
        if (output().includes("is ready at")) child.kill("SIGTERM");
      });
      expect(await within(30_000, `the server has ended:\n${output()}`, exited)).toEqual({
        code: 0,
        signal: null,
      });
      expect(output()).toContain('"Stopped."');
    }
  });

  test("a server whose output is closed continues to serve, and exits cleanly without a message", async () => {
    const { child, output, exited } = start({ COUNTERSIGN_DATA: newFolder() });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += String(chunk);
    });
    await until("it is ready", () => output().includes("is ready at"));
    child.stdout.destroy();
    const [, url] = / is ready at (http:[^"]+)/.exec(output()) ?? [];
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await within(30_000, `the server has ended:\n${output()}`, exited)).toEqual({
      code: 0,
      signal: null,
    });
    expect(errors).toBe("");
  });

  test("a server that is stopped during its start exits cleanly, and the next one starts", async () => {
    const folder = newFolder();
    const { child, output, exited } = start({ COUNTERSIGN_DATA: folder });
    await until("it has started", () => existsSync(join(folder, "owner.lock")));
    child.kill("SIGTERM");
    expect(await within(30_000, `the server has ended:\n${output()}`, exited)).toEqual({
      code: 0,
      signal: null,
    });
    const next = start({ COUNTERSIGN_DATA: folder });
    await until("the next one is ready", () => next.output().includes("is ready at"));
    next.child.kill("SIGTERM");
    expect((await next.exited).code).toBe(0);
  });

  test("a server that waits for an unresponsive database exits soon after it is stopped", async () => {
    const silent = await openSilentPort();
    const { child, output, exited } = start({
      COUNTERSIGN_DATA: newFolder(),
      DATABASE_URL: `postgres://user:password@127.0.0.1:${silent.port}/countersign`,
    });
    await within(30_000, "it asks the database", silent.connected);
    child.kill("SIGTERM");
    expect(await within(10_000, `the server has ended:\n${output()}`, exited)).toEqual({
      code: 0,
      signal: null,
    });
    silent.close();
  });
});

test("a server whose parent has exited stops cleanly", async () => {
  const parent = spawn("sleep", ["600"], { stdio: "ignore" });
  // Not its real parent, so the server finds it missing from the beginning.
  const { output, exited } = start({ COUNTERSIGN_DATA: newFolder() }, ["--parent", String(parent.pid)]);
  expect(await within(30_000, `the server has ended:\n${output()}`, exited)).toEqual({
    code: 0,
    signal: null,
  });
  parent.kill("SIGKILL");
});

test("a parent that is not a process ID is refused with a sentence", async () => {
  const { output, exited } = start({ COUNTERSIGN_DATA: newFolder() }, ["--parent", "me"]);
  expect((await exited).code).toBe(1);
  expect(output()).toBe('--parent is "me". It must be a process ID.\n');
});
