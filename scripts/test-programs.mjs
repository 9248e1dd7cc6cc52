import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Programs that tests need and npm cannot install: PostgreSQL with pg_dump, for backups, Chromium, for the dashboard,
 * PgBouncer, reverse proxies, Go, for Stripe's test server, and Python, for KeyPort's client. In CI they are installed
 * from Debian if possible. Elsewhere the skipped tests say how to install them.
 */
export async function ensureDebianPrograms() {
  if (process.env.CI !== "true" || process.getuid?.() !== 0 || !has("apt-get")) return;
  const missing = [
    ...(hasPostgres() ? [] : ["postgresql"]),
    ...(has("chromium-headless-shell") ? [] : ["chromium-headless-shell"]),
    ...(has("pgbouncer") ? [] : ["pgbouncer"]),
    ...(has("nginx") ? [] : ["nginx"]),
    ...(has("caddy") ? [] : ["caddy"]),
    ...(has("go") ? [] : ["golang-go"]),
    ...(pythonWithVenv() === undefined ? ["python3-venv"] : []),
  ];
  if (missing.length === 0) return;
  process.stdout.write(`Installing ${missing.join(" and ")} from Debian …\n`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // One process for both steps: nothing here has to run between them.
  const steps = `apt-get update; apt-get install -y --no-install-recommends ${missing.join(" ")}`;
  const installation = spawn("sh", ["-c", steps], { stdio: "ignore", env: environment });
  await new Promise((resolve) => installation.on("close", resolve).on("error", resolve));
}

function hasPostgres() {
  const home = "/usr/lib/postgresql";
  return (
    existsSync(home) && readdirSync(home).some((version) => existsSync(join(home, version, "bin", "pg_dump")))
  );
}

function has(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Knows the version of Stripe's API that the library uses. */
const stripeMock = {
  name: "stripe-mock",
  label: "Stripe's test server",
  program: "github.com/stripe/stripe-mock",
  version: "v0.203.0",
};

export const howToGetStripeMock =
  "it needs Go 1.22 or later, to install Stripe's test server. Install it (on Debian: apt-get install golang-go, or from https://go.dev/dl), and add it to PATH.";

/** The path of Stripe's own test server, which checks every request against Stripe's API. Null without Go. */
export function ensureStripeMock() {
  return ensureGoProgram(stripeMock);
}

export const howToGetActionlint =
  "it needs Go, to install the linter of workflows. Install it (on Debian: apt-get install golang-go, or from https://go.dev/dl), and add it to PATH.";

/** The path of a linter of GitHub's workflows. Null without Go. */
export function ensureActionlint() {
  return ensureGoProgram({
    name: "actionlint",
    label: "the linter of workflows",
    program: "github.com/rhysd/actionlint/cmd/actionlint",
    version: "v1.7.12",
  });
}

/** Outside of the repository, so that every clone and every run uses the same ones. */
const caches = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "countersign");

export function cacheFolder(name) {
  return join(caches, name);
}

/** Installs a program with Go, once, and returns its path. Null without Go. */
export function ensureGoProgram({ name, label, program: source, version }) {
  const cache = cacheFolder(`${name}-${version}`);
  const file = process.platform === "win32" ? `${name}.exe` : name;
  const program = join(cache, file);
  if (existsSync(program)) return program;
  if (spawnSync("go", ["version"], { stdio: "ignore" }).status !== 0) return null;
  process.stderr.write(`Installing ${label} (once) …\n`);
  mkdirSync(cache, { recursive: true });
  // Built in another folder and renamed once complete, because test files run in parallel.
  const folder = mkdtempSync(join(cache, "build-"));
  try {
    // Go compiles its standard library, too. Optimizing both would take longer than all that the tests ask.
    const quick = ["-gcflags=all=-N -l", "-ldflags=-s -w"];
    const result = spawnSync("go", ["install", ...quick, `${source}@${version}`], {
      env: { ...process.env, GOBIN: folder, CGO_ENABLED: "0" },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
    if (result.status !== 0) {
      process.stderr.write(`${result.stdout}${result.stderr}${label} could not be installed.\n`);
      return null;
    }
    // Go names a program by the last part of its path.
    renameSync(join(folder, readdirSync(folder)[0]), program);
    return program;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** KeyPort's client, and what it needs, each in the version that the client was tested with here. */
const keyPort = [
  ...["keyport==1.0.1", "httpx==0.28.1", "httpcore==1.0.9", "h11==0.16.0", "anyio==4.16.0"],
  ...["certifi==2026.10.18", "idna==3.20", "typing_extensions==4.16.0"],
];

export const howToGetKeyPort =
  "it needs Python 3.10 or later with its venv module, and PyPI, to install KeyPort's client. Install Python from https://www.python.org/downloads or with the system's package manager (on Debian: apt-get install python3 python3-venv), and check that pip can install packages.";

/** The Python of an environment with KeyPort's client from PyPI, unmodified. Null if it cannot be installed. */
export function ensureKeyPort() {
  const folder = join(caches, "keyport-1.0.1");
  const pythonOf = (environment) =>
    process.platform === "win32"
      ? join(environment, "Scripts", "python.exe")
      : join(environment, "bin", "python");
  // The Python that it was made with can be gone.
  const works = (environment) =>
    existsSync(environment) && spawnSync(pythonOf(environment), ["-c", "import keyport"]).status === 0;
  if (works(folder)) return pythonOf(folder);
  const found = pythonWithVenv();
  if (found === undefined) return null;
  process.stderr.write("Installing KeyPort's client (once) …\n");
  mkdirSync(caches, { recursive: true });
  // Built in another folder, because test files run in parallel. A package of Python can be moved; its scripts, which
  // nothing here uses, cannot.
  const built = mkdtempSync(join(caches, "build-"));
  try {
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"];
    for (const [program, words] of [
      [found, ["-m", "venv", built]],
      [pythonOf(built), [...install, ...keyPort]],
    ]) {
      const result = spawnSync(program, words, { encoding: "utf8" });
      if (result.status === 0) continue;
      process.stderr.write(
        `${result.stdout}${result.stderr}KeyPort's client could not be installed from PyPI.\n`,
      );
      return null;
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(built, folder);
    return pythonOf(folder);
  } catch (error) {
    // Another process was faster.
    if (works(folder)) return pythonOf(folder);
    throw error;
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

function pythonWithVenv() {
  const check = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))";
  return ["python3", "python"].find((name) => spawnSync(name, ["-c", check]).status === 0);
}
