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

/** As in package.json. Older ones fail later, with an error that does not name the reason. */
const oldestNode = 20;
const { node } = process.versions;
if (Number(node.split(".")[0]) < oldestNode) {
  process.stderr.write(
    `Countersign needs Node.js ${oldestNode} or later, and this is ${node}. Install a newer one: https://nodejs.org\n`,
  );
  process.exit(1);
}

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const installedMark = join(modules, ".countersign-installed");

/** Installs missing dependencies, and prints npm's output only if that fails. */
export function ensureInstalled() {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  if (existsSync(installedMark) && readFileSync(installedMark, "utf8") === lock && bunBinary() !== null)
    return;
  process.stderr.write("Installing dependencies (once) …\n");
  const npm = process.env.npm_execpath;
  const [command, before] = npm ? [process.execPath, [npm]] : ["npm", []];
  // With NODE_ENV=production npm would omit the dependencies of tests and checks, and the mark below would hide that
  // from the next command.
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

/** The runtime that npm installed: where its install script put it, or else in the package for this platform. */
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

/** Runs Bun with these arguments, passes signals on to it, and returns its exit code. */
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
      // The process was stopped before it could handle signals and had started nothing.
      else resolve(code ?? (signal === "SIGTERM" && passed === signal ? 0 : 1));
    });
  });
}

/**
 * npm runs a script in a shell. A signal ends both, or npm alone if it is killed, and neither passes the signal on. So
 * this checks whether both still run.
 */
export function whenOrphaned(act) {
  const parent = process.ppid;
  const npm = npmAbove(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === null || isRunning(npm, parent))) return;
    clearInterval(timer);
    act();
  }, 250);
  timer.unref();
}

/** The parent of the shell that npm runs the script in. Null if there is no shell in between. */
function npmAbove(shell) {
  const [above, name] = processStatus(shell);
  return above > 1 && /^-?(?:.*\/)?(?:sh|dash|bash|ash|zsh|ksh)$/.test(name) ? above : null;
}

/**
 * On Linux an orphaned shell gets another parent at once. Elsewhere signal 0 tells whether npm still runs, without
 * starting a process.
 */
function isRunning(npm, shell) {
  if (process.platform === "linux") return processStatus(shell)[0] === npm;
  try {
    process.kill(npm, 0);
    return true;
  } catch {
    return false;
  }
}

/** The parent ID and the name of a process. 0 and an empty name if unknown. */
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
