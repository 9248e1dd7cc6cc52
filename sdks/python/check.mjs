// Checks the style and types of the Python SDK, and runs its tests. Usage: node check.mjs [path for JUnit XML]
// Exits with 0 on success, 1 if a check failed, 3 if Python is not installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const environment = join(folder, ".venv");
const bin = join(environment, process.platform === "win32" ? "Scripts" : "bin");
const python = join(bin, process.platform === "win32" ? "python.exe" : "python");
const installedRequirements = join(environment, "installed-requirements.txt");
const report = process.argv[2] === undefined ? [] : [`--junitxml=${resolve(process.argv[2])}`];
const requirements = readFileSync(join(folder, "requirements-dev.txt"), "utf8");

if (!isPrepared()) prepare();
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
  if (!run(found, "-m", "venv", environment))
    exitWith(1, "The virtual environment .venv could not be created.");
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  if (!run(python, ...install, "-r", "requirements-dev.txt"))
    exitWith(1, "The tools in requirements-dev.txt could not be installed.");
  writeFileSync(installedRequirements, requirements);
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    // Keeps compiled files out of the source folders.
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
  });
  return status === 0;
}

function exitWith(code, message) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
