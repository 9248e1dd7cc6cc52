// Everything that has to be right about this SDK: style, types, tests. Call: node check.mjs [path for JUnit XML]
// Exits with 0 when all is well, 1 when something failed, 3 when there is no Python to do it with.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const environment = join(folder, ".venv");
const bin = join(environment, process.platform === "win32" ? "Scripts" : "bin");
const python = join(bin, process.platform === "win32" ? "python.exe" : "python");
const mark = join(environment, "installed-requirements.txt");
const report = process.argv[2] === undefined ? [] : [`--junitxml=${resolve(process.argv[2])}`];
const requirements = readFileSync(join(folder, "requirements-dev.txt"), "utf8");

if (!isReady()) prepare();
const failed = [
  ["ruff check", [join(bin, "ruff"), "check", "--no-cache", ".", "../snippets"]],
  ["ruff format --check", [join(bin, "ruff"), "format", "--no-cache", "--check", ".", "../snippets"]],
  ["mypy --strict", [python, "-m", "mypy", "--cache-dir", join(environment, "mypy-cache")]],
  ["pytest", [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ...report]],
].filter(([name, command]) => {
  process.stdout.write(`\n== ${name}\n`);
  return !run(...command);
});
if (failed.length > 0) end(1, `Failed: ${failed.map(([name]) => name).join(", ")}.`);

/** What was installed is what is wanted, and the Python that it was made with is still there. */
function isReady() {
  if (!existsSync(mark) || readFileSync(mark, "utf8") !== requirements) return false;
  return spawnSync(python, ["-c", ""]).status === 0;
}

function prepare() {
  const found = ["python3", "python"].find(
    (name) =>
      spawnSync(name, ["-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 9))"]).status ===
      0,
  );
  if (found === undefined)
    end(
      3,
      "The Python SDK needs Python 3.9 or newer with its venv module: install it from https://www.python.org/downloads/ or by the system's packages, such as apt install python3 python3-venv.",
    );
  // Begun anew, so that nothing of another Python or another release stays.
  rmSync(environment, { recursive: true, force: true });
  if (!run(found, "-m", "venv", environment)) end(1, "The environment in .venv could not be made.");
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  if (!run(python, ...install, "-r", "requirements-dev.txt"))
    end(1, "The tools in requirements-dev.txt could not be installed.");
  writeFileSync(mark, requirements);
}

function run(command, ...given) {
  const { status } = spawnSync(command, given, {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    // Nothing that Python compiles is left among the sources.
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
  });
  return status === 0;
}

function end(code, sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}
