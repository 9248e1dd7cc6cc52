import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Backups on PostgreSQL are tested with a server that brings its own pg_dump. A CI machine gets one from Debian when
 * it may install packages; a contributor is told how by the test that is skipped.
 */
export function ensurePostgresPrograms() {
  if (process.env.CI !== "true" || process.getuid?.() !== 0 || hasPrograms() || !has("apt-get")) return;
  process.stdout.write("Installing PostgreSQL's client programs from Debian …\n");
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const words of [["update"], ["install", "-y", "--no-install-recommends", "postgresql"]]) {
    spawnSync("apt-get", words, { stdio: "ignore", env: environment });
  }
}

function hasPrograms() {
  const home = "/usr/lib/postgresql";
  return (
    existsSync(home) && readdirSync(home).some((version) => existsSync(join(home, version, "bin", "pg_dump")))
  );
}

function has(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
