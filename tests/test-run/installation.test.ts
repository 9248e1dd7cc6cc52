import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../support/databases.ts";

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A project with a runtime and a development dependency, both in folders, so that npm installs it without a network.
 */
function makeProject(): void {
  const dependencies = { bun: "file:bun" };
  const devDependencies = { checker: "file:checker" };
  const own = { name: "project", version: "1.0.0" };
  const link = (resolved: string) => ({ resolved, link: true });
  writeJson("package.json", { ...own, dependencies, devDependencies });
  writeJson("package-lock.json", {
    ...own,
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { ...own, dependencies, devDependencies },
      bun: { version: "1.0.0" },
      checker: { version: "1.0.0", dev: true },
      "node_modules/bun": link("bun"),
      "node_modules/checker": { ...link("checker"), dev: true },
    },
  });
  for (const name of ["bun", "checker"]) {
    mkdirSync(join(folder, name, "bin"), { recursive: true });
    writeJson(`${name}/package.json`, { name, version: "1.0.0" });
  }
  // Large enough not to look like the placeholder that the package contains before its install script runs.
  writeFileSync(join(folder, "bun", "bin", "bun.exe"), Buffer.alloc(1_100_000), { mode: 0o755 });
  mkdirSync(join(folder, "scripts"));
  const toolchain = join(import.meta.dir, "../../scripts/toolchain.mjs");
  copyFileSync(toolchain, join(folder, "scripts", "toolchain.mjs"));
  const install = 'import { ensureInstalled } from "./toolchain.mjs";\nensureInstalled();\n';
  writeFileSync(join(folder, "scripts", "install.mjs"), install);
}

function writeJson(name: string, value: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(value));
}

test("an installation by a start with NODE_ENV=production is complete enough for npm test", () => {
  makeProject();
  const { status, stderr } = spawnSync("node", [join(folder, "scripts", "install.mjs")], {
    env: { ...process.env, NODE_ENV: "production", npm_config_omit: "dev", npm_execpath: undefined },
    encoding: "utf8",
  });
  expect(stderr).toBe("Installing dependencies (once) …\n");
  expect(status).toBe(0);
  expect(existsSync(join(folder, "node_modules", "bun"))).toBe(true);
  expect(existsSync(join(folder, "node_modules", "checker"))).toBe(true);
}, 60_000);
