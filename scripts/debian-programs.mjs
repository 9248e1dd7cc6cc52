import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
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
