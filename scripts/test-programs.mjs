import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Programs that tests need and npm cannot install: PostgreSQL with pg_dump, for backups, Chromium, for the dashboard,
 * PgBouncer, reverse proxies, and Go, for Stripe's test server. In CI they are installed from Debian if possible.
 * Elsewhere the skipped tests say how to install them.
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

/** Outside of the repository, so that every clone and every run uses the same one. */
export function cacheFolder(name) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "countersign", name);
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
