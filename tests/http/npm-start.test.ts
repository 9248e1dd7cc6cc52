import { afterAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../support/databases.ts";
import { until } from "../support/until.ts";

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("ending npm start ends the server behind it, and it drains", async () => {
  const npm = spawn("npm", ["start"], {
    cwd: join(import.meta.dir, "../.."),
    env: { ...process.env, PORT: "0", COUNTERSIGN_DATA: folder, COUNTERSIGN_LOG_FORMAT: "json" },
    stdio: ["ignore", "pipe", "pipe"],
    // In a group of its own, so that nothing of it outlives the test, whatever happens.
    detached: true,
  });
  let output = "";
  npm.stdout.on("data", (chunk) => {
    output += chunk;
  });
  try {
    await until("the server is ready", () => /"port":\d+/.test(output));
    const port = /"port":(\d+)/.exec(output)?.[1];
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    // To npm alone: its shell dies of it and passes nothing on.
    npm.kill("SIGTERM");
    await until("the server has stopped", () => output.includes('"Stopped."'));
  } finally {
    try {
      process.kill(-(npm.pid ?? 0), "SIGKILL");
    } catch {
      // Nothing of it is left.
    }
  }
}, 60_000);
