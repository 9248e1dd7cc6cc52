import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder } from "../support/databases.ts";

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: object | string, options?: { mode: number }): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(folder, name), text, options);
}

test("an installation by a start with NODE_ENV=production is complete enough for npm test", () => {
  // A runtime and a development dependency, both in folders, so that npm installs them without a network.
  const dependencies = { bun: "file:bun" };
  const devDependencies = { checker: "file:checker" };
  const own = { name: "project", version: "1.0.0", dependencies, devDependencies };
  const link = (resolved: string) => ({ resolved, link: true });
  const packages = {
    "": own,
    bun: { version: "1.0.0" },
    checker: { version: "1.0.0", dev: true },
    "node_modules/bun": link("bun"),
    "node_modules/checker": { ...link("checker"), dev: true },
  };
  write("package.json", own);
  write("package-lock.json", { ...own, lockfileVersion: 3, requires: true, packages });
  for (const name of ["bun", "checker"]) write(`${name}/package.json`, { name, version: "1.0.0" });
  // Large enough not to look like the placeholder that the package contains before its install script runs.
  write("bun/bin/bun.exe", "\0".repeat(1_100_000), { mode: 0o755 });
  write("scripts/install.mjs", 'import { ensureInstalled } from "./toolchain.mjs";\nensureInstalled();\n');
  const toolchain = join(import.meta.dir, "../../scripts/toolchain.mjs");
  copyFileSync(toolchain, join(folder, "scripts", "toolchain.mjs"));

  const { status, stderr } = spawnSync("node", [join(folder, "scripts", "install.mjs")], {
    env: { ...process.env, NODE_ENV: "production", npm_config_omit: "dev", npm_execpath: undefined },
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "Installing dependencies (once) …\n" });
  for (const name of ["bun", "checker"])
    expect([name, existsSync(join(folder, "node_modules", name))]).toEqual([name, true]);
}, 60_000);
