import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { versionIn } from "../../bench/servers.ts";
import { freshFolder } from "../support/databases.ts";

test("a benchmark that compares two versions starts the server of each", async () => {
  const folder = freshFolder();
  const before = process.env.COUNTERSIGN_TEST_SERVER;
  try {
    mkdirSync(join(folder, "bench"));
    writeFileSync(join(folder, "bench", "seed.ts"), "export const seed = () => null;");
    const server = "const server = process.env.COUNTERSIGN_TEST_SERVER;";
    const servers = `${server} export const startCountersign = () => server;`;
    writeFileSync(join(folder, "bench", "servers.ts"), servers);
    process.env.COUNTERSIGN_TEST_SERVER = "of this version";
    const { start } = await versionIn(folder);
    expect(start({}) as unknown).toBe(join(folder, "apps", "server", "dist", "main.js"));
    expect(process.env.COUNTERSIGN_TEST_SERVER).toBe("of this version");
  } finally {
    if (before === undefined) delete process.env.COUNTERSIGN_TEST_SERVER;
    else process.env.COUNTERSIGN_TEST_SERVER = before;
    rmSync(folder, { recursive: true });
  }
});
