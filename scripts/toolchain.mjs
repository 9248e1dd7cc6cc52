import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const installedMark = join(modules, ".countersign-installed");

/** Installs what is missing, quietly when it works. */
export function ensureInstalled() {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  if (existsSync(installedMark) && readFileSync(installedMark, "utf8") === lock && bunBinary() !== null)
    return;
  process.stderr.write("Installing dependencies (once) …\n");
  const npm = process.env.npm_execpath;
  const [command, before] = npm ? [process.execPath, [npm]] : ["npm", []];
  // With NODE_ENV=production npm leaves out what only tests and checks need, and the mark below would hide that from
  // the next command.
  const words = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = spawnSync(command, [...before, ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    shell: npm === undefined && process.platform === "win32",
  });
  if (result.status !== 0 || bunBinary() === null) {
    process.stderr.write(
      `${result.stdout ?? ""}${result.stderr ?? ""}\nThe dependencies could not be installed. Run npm ci to see why.\n`,
    );
    process.exit(1);
  }
  writeFileSync(installedMark, lock);
}

/** The runtime that npm brought: where its install script put it, or else inside the package for this platform. */
export function bunBinary() {
  const candidates = [join(modules, "bun", "bin", "bun.exe")];
  const platforms = join(modules, "@oven");
  if (existsSync(platforms)) {
    for (const name of readdirSync(platforms)) {
      candidates.push(join(platforms, name, "bin", "bun"), join(platforms, name, "bin", "bun.exe"));
    }
  }
  return candidates.find(isProgram) ?? null;
}

/** Runs Bun with these arguments and returns its exit code. Signals reach it and are waited for. */
export function runBun(words, options = {}) {
  const child = spawn(bunBinary(), words, { stdio: "inherit", cwd: process.cwd(), ...options });
  const pass = (signal) => child.kill(signal);
  process.on("SIGTERM", pass);
  process.on("SIGINT", pass);
  if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(() => pass("SIGTERM"));
  return new Promise((resolve) => {
    child.on("error", (error) => {
      process.stderr.write(`The runtime could not be started: ${error.message}\n`);
      resolve(1);
    });
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}

/** A signal to npm ends npm and its shell, and the shell passes nothing on: what is noticed is that they are gone. */
export function whenOrphaned(act) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, 250);
  timer.unref();
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    // Before its install script has run, the package holds a small placeholder instead of the program.
    return statSync(path).size > 1_000_000;
  } catch {
    return false;
  }
}
