import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../support/databases.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function withNpmStart(work: (npm: ChildProcess, output: () => string) => Promise<void>): Promise<void> {
  const folder = freshFolder();
  folders.push(folder);
  const npm = spawn("npm", ["start"], {
    cwd: join(import.meta.dir, "../.."),
    env: { ...process.env, PORT: "0", COUNTERSIGN_DATA: folder, COUNTERSIGN_LOG_FORMAT: "json" },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so that no process outlives the test.
    detached: true,
  });
  let output = "";
  npm.stdout.on("data", (chunk) => {
    output += chunk;
  });
  try {
    await until("the server is ready", () => /"port":\d+/.test(output), 60_000);
    const port = /"port":(\d+)/.exec(output)?.[1];
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    await work(npm, () => output);
  } finally {
    try {
      process.kill(-(npm.pid ?? 0), "SIGKILL");
    } catch {
      // No process is left.
    }
  }
}

test("terminating npm start drains and stops the server", async () => {
  await withNpmStart(async (npm, output) => {
    // The signal goes to npm alone. Its shell exits and forwards nothing.
    npm.kill("SIGTERM");
    await until("the server has stopped", () => output().includes('"Stopped."'));
  });
});

test("killing npm drains and stops the server", async () => {
  await withNpmStart(async (npm, output) => {
    npm.kill("SIGKILL");
    await until("the server has stopped", () => output().includes('"Stopped."'));
  });
});

// Processes are found through Linux's /proc.
test.skipIf(process.platform !== "linux")(
  "killing the script that npm start runs drains and stops the server",
  async () => {
    await withNpmStart(async (npm, output) => {
      const wrapper = processesOf(npm.pid ?? 0).find(({ words }) => words[1] === "scripts/start.mjs");
      expect(wrapper).toBeDefined();
      process.kill(wrapper?.pid ?? 0, "SIGKILL");
      await until("the server has stopped", () => output().includes('"Stopped."'));
    });
  },
);

/** Every process of a group, with its command line. */
function processesOf(group: number): { pid: number; words: string[] }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/stat`, "utf8");
        const isOfGroup = Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[2]) === group;
        const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
        return isOfGroup ? [{ pid: Number(name), words }] : [];
      } catch {
        // The process has exited.
        return [];
      }
    });
}
