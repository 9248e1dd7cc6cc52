import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dir, "../openapi-linters");
const modules = join(folder, "node_modules");
const mark = join(modules, ".countersign-installed");

/** Installs the linters of the OpenAPI document, once. Null if they are there, otherwise why not. */
export function whyNoLinters(): string | null {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return null;
  process.stderr.write("Installing the linters of the OpenAPI document (once) …\n");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: "ignore",
    shell: process.platform === "win32",
  });
  if (status !== 0)
    return "it needs openapi-typescript and Redocly. Run npm ci in tests/openapi-linters to see why they cannot be installed.";
  writeFileSync(mark, lock);
  return null;
}

/** Runs one of their programs with Node.js, and returns its exit code and what it printed. */
export function runLinter(
  program: "openapi-typescript" | "redocly" | "tsc",
  words: readonly string[],
  cwd: string,
) {
  const environment = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };
  const { status, stdout, stderr } = spawnSync("node", [files[program], ...words], {
    cwd,
    encoding: "utf8",
    env: environment,
  });
  return { status, printed: `${stdout}${stderr}` };
}

const files = {
  "openapi-typescript": join(modules, "openapi-typescript/bin/cli.js"),
  redocly: join(modules, "@redocly/cli/bin/cli.js"),
  // The one of this project, which is several times as fast.
  tsc: join(import.meta.dir, "../../node_modules/typescript/bin/tsc"),
};

export const redoclySettings = join(folder, "redocly.yaml");
