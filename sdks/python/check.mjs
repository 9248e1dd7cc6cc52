// Checks the style and types of the Python SDK, and runs its tests. Usage: node check.mjs [path for JUnit XML]
// Exits with 0 on success, 1 if a check failed, 3 if Python is not installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { generateEvents } from "../events/generate.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const environment = join(folder, ".venv");
const bin = join(environment, process.platform === "win32" ? "Scripts" : "bin");
const python = join(bin, process.platform === "win32" ? "python.exe" : "python");
const installedRequirements = join(environment, "installed-requirements.txt");
// Compiled files stay out of the source folders, and of what is installed only the modules that are used are compiled.
const { PYTHONDONTWRITEBYTECODE: _, ...inherited } = process.env;
const variables = { ...inherited, PYTHONPYCACHEPREFIX: join(environment, "compiled") };
const report = process.argv[2] === undefined ? [] : [`--junitxml=${resolve(process.argv[2])}`];
const requirements = readFileSync(join(folder, "requirements-dev.txt"), "utf8");

if (!isPrepared()) prepare();
generateEvents();
const failed = [
  ["ruff check", [join(bin, "ruff"), "check", "--no-cache", ".", "../snippets"]],
  ["ruff format --check", [join(bin, "ruff"), "format", "--no-cache", "--check", ".", "../snippets"]],
  ["mypy --strict", [python, "-m", "mypy", "--cache-dir", join(environment, "mypy-cache")]],
  ["pytest", [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ...report]],
].filter(([name, command]) => {
  process.stdout.write(`\n== ${name}\n`);
  return !run(...command);
});
if (failed.length > 0) exitWith(1, `Failed: ${failed.map(([name]) => name).join(", ")}.`);

/** Whether the environment has the current requirements, and its Python still works. */
function isPrepared() {
  if (!existsSync(installedRequirements) || readFileSync(installedRequirements, "utf8") !== requirements)
    return false;
  return spawnSync(python, ["-c", ""]).status === 0;
}

function prepare() {
  const found = ["python3", "python"].find(
    (name) =>
      spawnSync(name, ["-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 9))"]).status ===
      0,
  );
  if (found === undefined)
    exitWith(
      3,
      "The Python SDK needs Python 3.9 or later with its venv module. Install it from https://www.python.org/downloads/ or with the system's package manager, for example: apt install python3 python3-venv.",
    );
  // Starts from scratch, so that nothing of another Python or an earlier release remains.
  rmSync(environment, { recursive: true, force: true });
  // Copying pip into the environment takes longer than creating it, and the installed one can install there.
  const hasPip = canInstallElsewhere(found);
  if (!run(found, "-m", "venv", ...(hasPip ? ["--without-pip"] : []), environment))
    exitWith(1, "The virtual environment .venv could not be created.");
  const pip = hasPip ? [found, "-m", "pip", "--python", python] : [python, "-m", "pip"];
  const install = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"];
  if (!run(...pip, ...install, "-r", "requirements-dev.txt"))
    exitWith(1, "The tools in requirements-dev.txt could not be installed.");
  writeFileSync(installedRequirements, requirements);
}

/** Since 22.3. */
function canInstallElsewhere(found) {
  const { status, stdout } = spawnSync(found, ["-m", "pip", "--version"], { encoding: "utf8" });
  const [, major, minor] = /^pip (\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  return status === 0 && Number(major) * 100 + Number(minor) >= 2203;
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    env: variables,
  });
  return status === 0;
}

function exitWith(code, message) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
