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
  let passed = null;
  const pass = (signal) => {
    passed = signal;
    child.kill(signal);
  };
  process.on("SIGTERM", pass);
  process.on("SIGINT", pass);
  if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(() => pass("SIGTERM"));
  return new Promise((resolve) => {
    child.on("error", (error) => {
      process.stderr.write(`The runtime could not be started: ${error.message}\n`);
      resolve(1);
    });
    child.on("exit", (code, signal) => {
      if (signal === "SIGINT") resolve(130);
      // It was asked to stop before it could listen, and had begun nothing.
      else resolve(code ?? (signal === "SIGTERM" && passed === signal ? 0 : 1));
    });
  });
}

/**
 * npm runs a script in a shell. A signal to npm ends both, or npm alone when it is killed, and neither passes anything
 * on: what is noticed is that one of them is gone.
 */
export function whenOrphaned(act) {
  const parent = process.ppid;
  const npm = npmAbove(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === null || isThere(npm, parent))) return;
    clearInterval(timer);
    act();
  }, 250);
  timer.unref();
}

/** The process above the shell that npm runs the script in; null where there is no shell in between. */
function npmAbove(shell) {
  const [above, name] = processStatus(shell);
  return above > 1 && /^-?(?:.*\/)?(?:sh|dash|bash|ash|zsh|ksh)$/.test(name) ? above : null;
}

/** On Linux the shell gets another parent at once; elsewhere npm is asked for, which costs no process each time. */
function isThere(npm, shell) {
  if (process.platform === "linux") return processStatus(shell)[0] === npm;
  try {
    process.kill(npm, 0);
    return true;
  } catch {
    return false;
  }
}

/** Number of the parent and name of a process; 0 and nothing when that cannot be known. */
function processStatus(pid) {
  if (process.platform === "linux") {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8");
      const end = text.lastIndexOf(")");
      return [Number(text.slice(end + 2).split(" ")[1]), text.slice(text.indexOf("(") + 1, end)];
    } catch {
      return [0, ""];
    }
  }
  if (process.platform === "win32") return [0, ""];
  const { stdout } = spawnSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" });
  const [, above, name] = /^\s*(\d+)\s+(.*?)\s*$/.exec(stdout ?? "") ?? [];
  return above === undefined ? [0, ""] : [Number(above), name];
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
